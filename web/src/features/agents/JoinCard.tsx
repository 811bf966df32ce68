import type { OwnAgent } from "@tollgate/contract/endpoints/agents.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useJoin } from "./agents.api.ts";

/** How to become a reseller, or what became of the request. */
export function JoinCard(props: {
  readonly agent: OwnAgent;
  readonly state: "none" | "rejected" | "requested";
}) {
  const { agent, state } = props;
  const t = useT();
  const { mutateAsync: join, isPending } = useJoin();
  if (state === "requested") {
    return (
      <Banner tone="info" title={t("agents.waiting")}>
        {t("agents.waitingHelp")}
      </Banner>
    );
  }
  const send = async () => {
    try {
      const { state: now } = await join(undefined);
      toast({
        tone: "success",
        title: now === "approved" ? t("agents.joined") : t("agents.asked"),
      });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Card title={t("agents.joinTitle")}>
      <div className="flex max-w-160 flex-col items-start gap-4">
        {!agent.enabled && <Banner tone="info" title={t("agents.off")} />}
        {state === "rejected" && agent.enabled && (
          <Banner tone="warning" title={t("agents.rejected")} />
        )}
        <ol className="flex list-decimal flex-col gap-1 pl-5 text-sm">
          <li>{t("agents.stepInvite")}</li>
          <li>{t("agents.stepEarn")}</li>
          <li>{t("agents.stepWithdraw")}</li>
        </ol>
        <Button
          variant="primary"
          disabled={!agent.enabled}
          loading={isPending}
          onClick={() => void send()}
        >
          {agent.approval ? t("agents.ask") : t("agents.join")}
        </Button>
      </div>
    </Card>
  );
}
