/** How changes of earnings and of a purse are listed. */

import type { Earning } from "@tollgate/contract/endpoints/agents.ts";
import type { T, TextKey } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import type { Tone } from "#ui/tone.ts";
import { timeColumn } from "#widgets/columns/common-columns.tsx";
import { EntryAmount } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

const names = {
  dividend: "widgets.earningDividend",
  invite: "widgets.earningInvite",
  rebate: "widgets.earningRebate",
  rebate_back: "widgets.earningRebateBack",
  rebate_restored: "widgets.earningRebateRestored",
  transfer: "widgets.earningTransfer",
  withdrawal: "widgets.earningWithdrawal",
  withdrawal_paid: "widgets.earningWithdrawalPaid",
  withdrawal_rejected: "widgets.earningWithdrawalRejected",
} as const satisfies Readonly<Record<Earning["kind"], TextKey>>;

const tones: Readonly<Record<Earning["kind"], Tone>> = {
  dividend: "success",
  invite: "success",
  rebate: "success",
  rebate_back: "warning",
  rebate_restored: "success",
  transfer: "info",
  withdrawal: "info",
  withdrawal_paid: "neutral",
  withdrawal_rejected: "warning",
};

export const earningId = (row: Earning): string => String(row.seq);

/** `withRequested`: also what is requested for a payout, which only a purse has. */
export function earningColumns(t: T, withRequested: boolean): readonly Column<Earning>[] {
  const requested: Column<Earning> = {
    id: "requested_after",
    title: t("widgets.earningRequested"),
    rank: 2,
    width: 110,
    align: "right",
    csv: (row) => String(row.requested_after),
    cell: (row) => <QuotaText quota={row.requested_after} />,
  };
  return [
    timeColumn(
      { id: "created_at", title: t("widgets.earningTime"), rank: 2, card: "fact" },
      (row) => row.created_at,
    ),
    {
      id: "kind",
      title: t("widgets.earningKind"),
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      csv: (row) => `${t(names[row.kind])} ${row.about}`.trim(),
      cell: (row) => (
        <span className="flex min-w-0 items-center gap-2">
          <Badge tone={tones[row.kind]}>{t(names[row.kind])}</Badge>
          <span className="min-w-0 font-normal">
            <Muted>
              <CutText>{row.about}</CutText>
            </Muted>
          </span>
        </span>
      ),
    },
    {
      id: "amount",
      title: t("widgets.earningAmount"),
      rank: 1,
      width: 110,
      align: "right",
      card: "lead",
      csv: (row) => String(row.amount),
      cell: (row) => <EntryAmount entry={{ amount: row.amount, debt: 0 }} />,
    },
    ...(withRequested ? [requested] : []),
    {
      id: "balance_after",
      title: t("widgets.earningLeft"),
      rank: 1,
      width: 110,
      align: "right",
      card: "fact",
      csv: (row) => String(row.balance_after),
      cell: (row) => <QuotaText quota={row.balance_after} />,
    },
  ];
}
