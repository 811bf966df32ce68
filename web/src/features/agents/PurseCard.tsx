import { type OwnAgent, withdrawalCurrency } from "@tollgate/contract/endpoints/agents.ts";
import { useState } from "react";
import { showMoney } from "#display/money.ts";
import { showQuota } from "#display/quota.ts";
import { useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Figure } from "#ui/chart/Figure.tsx";
import { InviteLink } from "#widgets/earnings/InviteLink.tsx";
import { MoveSheet } from "#widgets/earnings/MoveSheet.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useInviteCode, useMovePurse } from "./agents.api.ts";
import { WithdrawSheet } from "./WithdrawSheet.tsx";

/** What is in the purse of a reseller, and the two ways out of it. */
export function PurseCard({ agent }: { readonly agent: OwnAgent }) {
  const t = useT();
  const display = useQuotaDisplay();
  const language = useLanguage();
  const { mutateAsync: move } = useMovePurse();
  const code = useInviteCode();
  const [open, setOpen] = useState<"move" | "withdraw" | null>(null);
  const close = () => setOpen(null);
  const isSuspended = agent.state === "suspended";
  const waits = agent.requested > 0;
  const isEnough = agent.balance >= agent.withdraw_min;
  const paid = showMoney(agent.paid_money, withdrawalCurrency, language);
  return (
    <Card title={t("agents.earned")}>
      <div className="flex flex-col gap-4">
        {isSuspended && <Banner tone="warning" title={t("agents.suspended")} />}
        {!agent.enabled && <Banner tone="info" title={t("agents.paused")} />}
        <InviteLink code={code} />
        <div className="flex flex-wrap gap-x-10 gap-y-3">
          <Figure label={t("agents.available")}>
            <QuotaText quota={agent.balance} />
          </Figure>
          <Figure label={t("agents.requested")}>
            <QuotaText quota={agent.requested} />
          </Figure>
          <Figure label={t("agents.earnedEver")}>
            <QuotaText quota={agent.earned} />
          </Figure>
          <Figure label={t("agents.paidOut")}>{paid}</Figure>
          <Figure label={t("agents.invitees")}>{agent.invitees.toLocaleString("en-US")}</Figure>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button
            variant="primary"
            disabled={isSuspended || waits || !isEnough}
            onClick={() => setOpen("withdraw")}
          >
            {t("agents.withdraw")}
          </Button>
          <Button disabled={agent.balance === 0} onClick={() => setOpen("move")}>
            {t("widgets.earningsMove")}
          </Button>
          <span className="text-sm">
            <Muted>
              {waits
                ? t("agents.withdrawWaits")
                : t("agents.withdrawFrom", { least: showQuota(agent.withdraw_min, display) })}
            </Muted>
          </span>
        </div>
      </div>
      {open === "withdraw" && <WithdrawSheet agent={agent} onClose={close} />}
      {open === "move" && (
        <MoveSheet least={1} most={agent.balance} onMove={move} onClose={close} />
      )}
    </Card>
  );
}
