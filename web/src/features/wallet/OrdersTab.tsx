import type { Order } from "@tollgate/contract/endpoints/orders.ts";
import { useMemo } from "react";
import { type Language, type T, useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { ListSection } from "#ui/table/ListSection.tsx";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { timeColumn } from "#widgets/columns/common-columns.tsx";
import { moneyColumn, quotaColumn } from "#widgets/orders/order-columns.tsx";
import { OrderBadge } from "#widgets/orders/OrderBadge.tsx";
import { methodName, orderLook } from "#widgets/orders/order-texts.ts";
import { readOwnOrders, useOwnOrders } from "./wallet.api.ts";

const id = "own-orders";

/** The user's orders, newest first; each opens as a receipt. */
export function OrdersTab(props: {
  readonly search: ListSearch;
  readonly onSearch: SetListSearch;
  readonly onOpen: (number: string) => void;
  readonly onTopUp: () => void;
}) {
  const { search, onSearch } = props;
  const t = useT();
  const language = useLanguage();
  const query = useOwnOrders(search);
  const columns = useMemo(() => orderColumns(t, language), [t, language]);
  return (
    <ListSection<Order>
      id={id}
      title={t("wallet.orders")}
      description={t("wallet.ordersHelp")}
      search={search}
      onSearch={onSearch}
      query={query}
      fetchPage={readOwnOrders}
      columns={columns}
      rowId={rowId}
      onOpen={(row) => props.onOpen(row.number)}
      empty={{
        title: t("wallet.ordersNone"),
        description: t("wallet.ordersNoneHow"),
        action: <Button onClick={props.onTopUp}>{t("wallet.tabTopUp")}</Button>,
      }}
    />
  );
}

const rowId = (order: Order) => order.number;

function orderColumns(t: T, language: Language): readonly Column<Order>[] {
  return [
    {
      id: "number",
      title: t("wallet.number"),
      rank: 1,
      width: 200,
      grow: 1,
      card: "title",
      csv: (row) => row.number,
      cell: (row) => <CutText mono>{row.number}</CutText>,
    },
    {
      id: "state",
      title: t("wallet.state"),
      rank: 1,
      width: 90,
      card: "lead",
      csv: (row) => orderLook(row, t).text,
      cell: (row) => <OrderBadge order={row} />,
    },
    moneyColumn(t("wallet.money"), language),
    { ...quotaColumn(t("wallet.quota")), card: "fact" },
    {
      id: "method",
      title: t("wallet.method"),
      rank: 3,
      width: 130,
      csv: (row) => methodName(row.method, t),
      cell: (row) => methodName(row.method, t),
    },
    timeColumn(
      { id: "created_at", title: t("wallet.time"), rank: 2, card: "fact" },
      (row) => row.created_at,
    ),
  ];
}
