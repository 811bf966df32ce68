import { useQuery } from "@tanstack/react-query";
import { Wallet } from "lucide-react";
import { showQuota, showQuotaExactly } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { NavNote } from "#ui/layout/NavNote.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useSelfUse } from "#widgets/server/use-status.ts";
import { balanceQuery, spentTodayQuery } from "./balance.api.ts";

/**
 * Shows the user's balance and what was spent today, at the foot of the side menu, as a link to the
 * statement.
 */
export function BalanceNote(props: {
  readonly folded: boolean;
  readonly onChoose: (() => void) | undefined;
}) {
  const { folded, onChoose } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const isHidden = useSelfUse();
  const { data: balance } = useQuery({ ...balanceQuery, enabled: !isHidden });
  const { data: spent } = useQuery({ ...spentTodayQuery, enabled: !isHidden });
  if (isHidden || balance === undefined) return null;
  return (
    <NavNote
      to="/topup"
      search={{ tab: "records" }}
      icon={<Wallet size={16} aria-hidden />}
      title={showQuota(balance, display)}
      detail={
        spent === undefined ? null : t("shell.spentToday", { spent: showQuota(spent, display) })
      }
      told={t("shell.balanceExactly", {
        balance: showQuotaExactly(balance, display),
        spent: spent === undefined ? "–" : showQuotaExactly(spent, display),
      })}
      folded={folded}
      onClick={onChoose}
    />
  );
}
