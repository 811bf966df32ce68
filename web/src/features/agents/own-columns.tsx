/** The columns of an agent's own lists. */

import {
  type Dividend,
  percentText,
  type Withdrawal,
} from "@tollgate/contract/endpoints/agents.ts";
import type { Language, T } from "#i18n/t.ts";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { stateColumn, timeColumn } from "#widgets/columns/common-columns.tsx";
import { EntryAmount } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { moneyColumn, quotaColumn } from "#widgets/orders/order-columns.tsx";
import { withdrawalLooks } from "./agent-texts.ts";

/** Writes the UTC day that begins at these Unix seconds. */
export function utcDay(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

export function dividendColumns(t: T): readonly Column<Dividend>[] {
  return [
    {
      id: "day",
      title: t("agents.day"),
      rank: 1,
      width: 110,
      card: "fact",
      csv: (row) => utcDay(row.day),
      cell: (row) => utcDay(row.day),
    },
    {
      id: "invitee",
      title: t("agents.invitee"),
      rank: 1,
      width: 120,
      grow: 1,
      card: "title",
      csv: (row) => `${row.invitee_id} ${row.invitee}`,
      cell: (row) => <CutText>{`${row.invitee} #${row.invitee_id}`}</CutText>,
    },
    {
      id: "base",
      title: t("agents.base"),
      rank: 2,
      width: 110,
      align: "right",
      csv: (row) => String(row.base),
      cell: (row) => <QuotaText quota={row.base} />,
    },
    {
      id: "rate_bp",
      title: t("agents.rate"),
      rank: 3,
      width: 80,
      align: "right",
      csv: (row) => percentText(row.rate_bp),
      cell: (row) => `${percentText(row.rate_bp)} %`,
    },
    {
      id: "dividend",
      title: t("agents.dividend"),
      rank: 1,
      width: 110,
      align: "right",
      card: "lead",
      csv: (row) => String(row.dividend),
      cell: (row) => <EntryAmount entry={{ amount: row.dividend, debt: 0 }} />,
    },
  ];
}

/** The columns that both the agent's list of withdrawals and root's have. */
export function withdrawalColumns<Row extends Withdrawal>(
  t: T,
  language: Language,
): readonly Column<Row>[] {
  return [
    stateColumn(t("agents.state"), (row) => {
      const { text, tone } = withdrawalLooks[row.state];
      return { text: t(text), tone };
    }),
    moneyColumn<Row>(t("agents.money"), language),
    quotaColumn<Row>(t("agents.quota")),
    {
      id: "payee",
      title: t("agents.payee"),
      rank: 3,
      width: 140,
      grow: 1,
      csv: (row) => row.payee,
      cell: (row) => <CutText>{row.payee}</CutText>,
    },
    {
      id: "note",
      title: t("agents.note"),
      rank: 3,
      width: 140,
      grow: 1,
      csv: (row) => row.note,
      cell: (row) => <CutText>{row.note}</CutText>,
    },
    timeColumn(
      { id: "created_at", title: t("agents.requestedAt"), rank: 2, card: "fact" },
      (row) => row.created_at,
    ),
  ];
}
