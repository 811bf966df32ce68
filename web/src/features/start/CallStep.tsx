import { useQuery } from "@tanstack/react-query";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { showQuota } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Step } from "#ui/layout/StepList.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { useStatus } from "#widgets/server/use-status.ts";
import { ConnectPanel } from "#widgets/tokens/ConnectPanel.tsx";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import {
  newestCallQuery,
  newestFailureQuery,
  readWholeKey,
  useNewestToken,
  useOwnModels,
} from "./start.api.ts";

/**
 * Shows an example that works with the user's own key, waits for its call, and then shows what the
 * call cost.
 */
export function CallStep(props: {
  readonly hasToken: boolean;
  readonly done: boolean;
  readonly current: boolean;
  /** The token that was created on this page, with its whole key. */
  readonly created: Token | null;
}) {
  const { hasToken, done, current, created } = props;
  const t = useT();
  const said = useSaid(hasToken, done);
  return (
    <Step
      level={2}
      title={t("start.call")}
      state={t(done ? "start.done" : "start.todo")}
      done={done}
      current={current}
      text={said}
      actions={
        done ? (
          <LinkButton to="/log" variant="primary">
            {t("start.logs")}
          </LinkButton>
        ) : (
          <LinkButton to="/playground" variant="ghost" size="sm">
            {t("start.orPlayground")}
          </LinkButton>
        )
      }
    >
      {hasToken && <Example created={created} waiting={!done} />}
    </Step>
  );
}

/** The step's sentence: what to do, or of a call that was made, its model, tokens and cost. */
function useSaid(hasToken: boolean, done: boolean): string {
  const t = useT();
  const display = useQuotaDisplay();
  const { data: newest } = useQuery({ ...newestCallQuery, enabled: done });
  if (!done) return t(hasToken ? "start.callRun" : "start.callNeedsToken");
  if (newest === undefined || newest === null) return t("start.callArrived");
  const { model_name: model, prompt_tokens, completion_tokens, quota } = newest;
  return t("start.callFirst", {
    model,
    prompt: prompt_tokens.toLocaleString("en-US"),
    completion: completion_tokens.toLocaleString("en-US"),
    cost: showQuota(quota, display),
  });
}

function Example({
  created,
  waiting,
}: {
  readonly created: Token | null;
  readonly waiting: boolean;
}) {
  const t = useT();
  const system = useStatus()?.system_name || "Tollgate";
  const { data: models } = useOwnModels();
  const { data: newest } = useNewestToken(created === null);
  if (models?.length === 0) {
    return (
      <Banner tone="warning" title={t("start.noModels", { system })}>
        {t("start.noModelsBody")}
      </Banner>
    );
  }
  const token = created ?? newest;
  if (token === null) return <Banner tone="warning" title={t("start.noToken")} />;
  if (token === undefined) return null;
  const read = created === null ? async () => await readWholeKey(token.id) : undefined;
  const limits = token.model_limits_enabled ? token.model_limits.split(",") : null;
  return (
    <>
      <ConnectPanel
        shownKey={tokenKeyPrefix + token.key}
        read={read}
        ownModels={models}
        limits={limits}
      />
      <div>
        <LinkButton to="/connect" search={{ token: token.id }} size="sm">
          {t("tokens.otherPrograms")}
        </LinkButton>
      </div>
      {waiting && <Waiting />}
    </>
  );
}

/** Says that the page is waiting, and why the last try failed, if there was one. */
function Waiting() {
  const t = useT();
  const { data: failure } = useQuery(newestFailureQuery);
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="flex items-center gap-2 text-sm">
        <LiveDot /> {t("start.waiting")}
      </p>
      {failure !== undefined && failure !== null && (
        <Banner
          tone="warning"
          title={t("start.callFailed", { model: failure.model_name })}
          action={
            <LinkButton to="/log" search={{ type: "5" }} size="sm">
              {t("start.logs")}
            </LinkButton>
          }
        >
          {showMessage(failure.content, t)}
        </Banner>
      )}
    </div>
  );
}
