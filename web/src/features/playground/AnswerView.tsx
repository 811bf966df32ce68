import { role } from "@tollgate/contract/endpoints/users.ts";
import { RotateCw, Trash2 } from "lucide-react";
import { memo } from "react";
import { showDuration } from "./show-duration.ts";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import { Markdown } from "#ui/markdown/Markdown.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { useSession } from "#widgets/server/use-status.ts";
import type { Answer } from "./conversation.ts";

type Actions = {
  /** Whether any answer of the conversation is being written at present. */
  busy: boolean;
  /** Null: no model is chosen to answer again. */
  onRetry: ((id: string) => void) | null;
  onRemove: (id: string) => void;
};

/**
 * One answer of the conversation. Memoised, so that in a long conversation only changed answers are
 * drawn again.
 */
export const AnswerView = memo(function AnswerView(
  props: Actions & { answer: Answer; writing: boolean },
) {
  const { answer, writing, busy, onRetry, onRemove } = props;
  const { content, reasoning, fault } = answer;
  const t = useT();
  return (
    <article aria-label={answer.model} aria-busy={writing} className="flex flex-col gap-2">
      <h2 className="flex items-center gap-2 text-sm font-medium">
        <span className="truncate">{answer.model}</span>
        {writing && <Spinner />}
      </h2>
      {reasoning !== "" && (
        <Reasoning text={reasoning} live={writing && content === ""} streaming={writing} />
      )}
      {content !== "" && <Markdown text={content} streaming={writing} />}
      {writing && content === "" && reasoning === "" && (
        <p>
          <Muted>{t("playground.waiting")}</Muted>
        </p>
      )}
      {fault !== null && (
        <Fault
          answer={answer}
          fault={fault}
          onRetry={busy || onRetry === null ? undefined : () => onRetry(answer.id)}
        />
      )}
      {!writing && (
        <footer className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <Figures answer={answer} />
          <div className="-ml-1.5 flex items-center">
            <CopyButton
              iconOnly
              variant="ghost"
              label={t("playground.copyAnswer")}
              text={content}
              disabled={content === ""}
            />
            {fault === null && (
              <IconButton
                size="sm"
                label={t("playground.retry")}
                icon={<RotateCw size={14} aria-hidden />}
                disabled={busy || onRetry === null}
                onClick={() => onRetry?.(answer.id)}
              />
            )}
            <IconButton
              size="sm"
              label={t("playground.remove")}
              icon={<Trash2 size={14} aria-hidden />}
              disabled={busy}
              onClick={() => onRemove(answer.id)}
            />
          </div>
        </footer>
      )}
    </article>
  );
});

/** Shows the model's reasoning, in a part that the user can unfold. */
function Reasoning(props: { text: string; live: boolean; streaming: boolean }) {
  const { text, live, streaming } = props;
  const t = useT();
  return (
    <details className="text-sm">
      <summary className="w-fit py-1 select-none max-md:py-2.5">
        <Muted>{live ? t("playground.thinking") : t("playground.thoughts")}</Muted>
      </summary>
      <div className="border-l-2 py-1 pl-3">
        <Markdown text={text} streaming={streaming} />
      </div>
    </details>
  );
}

function Fault(props: {
  answer: Answer;
  fault: NonNullable<Answer["fault"]>;
  onRetry: (() => void) | undefined;
}) {
  const { answer, fault, onRetry } = props;
  const { requestId } = answer;
  const t = useT();
  const isRoot = (useSession()?.role ?? 0) >= role.enum.root;
  const { title, detail } = describeFault(fault, isRoot, t);
  return (
    <Banner
      tone="danger"
      title={title}
      action={
        onRetry !== undefined && (
          <Button size="sm" icon={<RotateCw size={14} aria-hidden />} onClick={onRetry}>
            {t("playground.retry")}
          </Button>
        )
      }
    >
      {detail !== "" && <p className="wrap-anywhere">{detail}</p>}
      {requestId !== null && (
        <p className="flex flex-wrap items-center gap-1 text-xs">
          {t("playground.requestId")}
          <code className="font-mono wrap-anywhere">{requestId}</code>
          <CopyButton
            iconOnly
            variant="ghost"
            label={t("playground.copyRequestId")}
            text={requestId}
          />
        </p>
      )}
    </Banner>
  );
}

/**
 * Writes what to tell the user about a failure: for known codes advice, with the server's own
 * message below.
 */
function describeFault(
  { code, message }: NonNullable<Answer["fault"]>,
  isRoot: boolean,
  t: T,
): { readonly title: string; readonly detail: string } {
  const said = message === "" ? "" : showMessage(message, t);
  switch (code) {
    case "offline":
      return { title: t("playground.faultOffline"), detail: "" };
    case "broken":
      return { title: t("playground.faultBroken"), detail: said };
    case "insufficient_user_quota":
      return { title: t("playground.faultQuota"), detail: said };
    case "not_signed_in":
      return { title: t("playground.faultSignedOut"), detail: "" };
    case "rate_limited":
    case "rate_limit_exceeded":
      return { title: t("playground.faultRate"), detail: said };
    case "model_price_error":
      return { title: isRoot ? t("playground.faultNoPrice") : said, detail: "" };
    default:
      return { title: said === "" ? t("playground.faultUnknown") : said, detail: "" };
  }
}

/** Shows token counts, cost and times of an answer; unknown values are left out. */
function Figures({ answer }: { answer: Answer }) {
  const { charge, firstMs, totalMs, status, requestId } = answer;
  const t = useT();
  const isStopped = status === "incomplete";
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-xs tabular-nums">
      {isStopped && <Muted>{t("playground.stopped")}</Muted>}
      {isStopped && charge === null && requestId !== null && (
        <Muted>{t("playground.chargePending")}</Muted>
      )}
      {charge !== null && (
        <>
          <Muted>
            {t("playground.tokens", {
              input: charge.input.toLocaleString("en-US"),
              output: charge.output.toLocaleString("en-US"),
            })}
          </Muted>
          <QuotaText quota={charge.quota} />
        </>
      )}
      {firstMs !== null && (
        <Muted>{t("playground.firstText", { time: showDuration(firstMs) })}</Muted>
      )}
      {totalMs !== null && <Muted>{t("playground.total", { time: showDuration(totalMs) })}</Muted>}
    </div>
  );
}
