import type { Order } from "@tollgate/contract/endpoints/orders.ts";
import { showMoney } from "#display/money.ts";
import type { Language } from "#i18n/t.ts";
import type { Column } from "#ui/table/column.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

const sum = { rank: 1, width: 96, align: "right" } as const;

/** The column of an amount of money in its currency. CSV files have it in English. */
export function moneyColumn<Row extends Pick<Order, "currency" | "money">>(
  title: string,
  language: Language,
): Column<Row> {
  return {
    ...sum,
    id: "money",
    title,
    card: "fact",
    csv: ({ money, currency }) => showMoney(money, currency, "en"),
    cell: ({ money, currency }) => showMoney(money, currency, language),
  };
}

/** The column of an amount of quota. */
export function quotaColumn<Row extends Pick<Order, "quota">>(title: string): Column<Row> {
  return {
    ...sum,
    id: "quota",
    title,
    csv: ({ quota }) => String(quota),
    cell: ({ quota }) => <QuotaText quota={quota} />,
  };
}
