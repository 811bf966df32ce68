import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Step } from "#ui/layout/StepList.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { Line } from "#widgets/tokens/Line.tsx";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { useCreateFirstToken } from "./start.api.ts";

/** Creates the first key by one press, and shows it whole until the page is left. */
export function KeyStep(props: {
  /** How many tokens the user has. */
  readonly count: number;
  readonly done: boolean;
  readonly current: boolean;
  /** The token that was created on this page, with its whole key. */
  readonly created: Token | null;
  readonly onCreated: (token: Token) => void;
}) {
  const { count, done, current, created, onCreated } = props;
  const t = useT();
  const { mutate, isPending } = useCreateFirstToken();
  const create = () =>
    mutate(t("start.firstKeyName"), { onSuccess: onCreated, onError: toastError });
  const key = created === null ? null : tokenKeyPrefix + created.key;
  return (
    <Step
      level={2}
      title={t("start.token")}
      state={t(done ? "start.done" : "start.todo")}
      done={done}
      current={current}
      text={count > 0 ? t("start.tokenDone", { count }) : t("start.tokenFirst")}
      actions={
        count > 0 ? (
          <LinkButton to="/token" variant="ghost" size="sm">
            {t("start.tokens")}
          </LinkButton>
        ) : (
          <Button variant={current ? "primary" : "default"} loading={isPending} onClick={create}>
            {t("start.createFirst")}
          </Button>
        )
      }
    >
      {key !== null && (
        <>
          <Banner tone="success" title={t("tokens.createdNote")} />
          <Line label={t("tokens.key")}>
            <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{key}</code>
            {/* Takes the focus over from the button that is gone once the key exists. */}
            <CopyButton text={key} label={t("tokens.copyKey")} autoFocus />
          </Line>
        </>
      )}
    </Step>
  );
}
