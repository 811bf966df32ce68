import type { AnyOrder } from "@tollgate/contract/endpoints/orders.ts";
import { BadgeCheck, RefreshCw, Undo2 } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { showTime } from "#display/time.ts";
import { type Language, type T, useLanguage, useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import type { Column, Filter, RowAction } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { moneyColumn, quotaColumn } from "#widgets/orders/order-columns.tsx";
import { OrderBadge } from "#widgets/orders/OrderBadge.tsx";
import { methodName, stateName } from "#widgets/orders/order-texts.ts";
import { byUserText } from "#widgets/people/name-filters.ts";
import { verdictName } from "./event-texts.ts";
import { readOrders, useCheckOrder, useOrders } from "./orders.api.ts";
import { orderSearch, type OrderSearch } from "./orders.search.ts";
import { OrderDetails } from "./OrderDetails.tsx";
import { RefundSheet } from "./RefundSheet.tsx";
import { SettleSheet } from "./SettleSheet.tsx";

/** `/order`, for root: all orders, with everything that processors said about them. */
export function OrdersScreen() {
  const t = useT();
  const language = useLanguage();
  const [search, setSearch] = useListSearch(orderSearch);
  const { keyword, username, state, page, size } = search;
  const filter = { keyword: keyword.trim(), username: username.trim(), state };
  const list = useOrders({ ...filter, page, size });
  const [settling, setSettling] = useState<AnyOrder | null>(null);
  const [refunding, setRefunding] = useState<AnyOrder | null>(null);
  const rowActions = useOrderActions(setSettling, setRefunding);
  const columns = useMemo(() => orderColumns(t, language), [t, language]);
  const filters = useMemo(() => orderFilters(t), [t]);
  return (
    <ListScreen<AnyOrder, OrderSearch>
      id="orders"
      title={t("orders.title")}
      description={t("orders.description")}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readOrders({ ...filter, ...window }, signal)}
      columns={columns}
      rowId={(row) => String(row.id)}
      rowName={(row) => row.number}
      keyword={{ name: "keyword", placeholder: t("orders.searchPlaceholder") }}
      filters={filters}
      rowActions={rowActions}
      expand={(row) => <OrderDetails id={row.id} />}
      empty={{
        title: t("orders.emptyTitle"),
        description: t("orders.emptyText"),
        action: (
          <LinkButton to="/setting" search={{ tab: "system" }}>
            {t("orders.emptyAction")}
          </LinkButton>
        ),
      }}
    >
      {refunding !== null && <RefundSheet order={refunding} onClose={() => setRefunding(null)} />}
      {settling !== null && <SettleSheet order={settling} onClose={() => setSettling(null)} />}
    </ListScreen>
  );
}

/** Returns the actions on an order: one that is not paid can be credited, a paid one refunded. */
function useOrderActions(
  onSettle: (row: AnyOrder) => void,
  onRefund: (row: AnyOrder) => void,
): readonly RowAction<AnyOrder>[] {
  const t = useT();
  const { mutateAsync: check } = useCheckOrder();
  const ask = useCallback(
    async (row: AnyOrder) => {
      try {
        const { verdict } = await check(row.id);
        toast({ tone: "info", title: t("orders.answered", { verdict: verdictName(verdict, t) }) });
      } catch (error) {
        toastError(error);
      }
    },
    [check, t],
  );
  return useMemo(
    () => [
      {
        key: "check",
        label: t("orders.check"),
        icon: <RefreshCw size={16} aria-hidden />,
        onSelect: (row) => void ask(row),
      },
      {
        key: "settle",
        label: t("orders.settle"),
        icon: <BadgeCheck size={16} aria-hidden />,
        shown: (row) => row.state !== "paid",
        onSelect: onSettle,
      },
      {
        key: "refund",
        label: t("orders.refund"),
        icon: <Undo2 size={16} aria-hidden />,
        tone: "danger",
        shown: (row) => row.state === "paid" && row.refunded < row.money,
        onSelect: onRefund,
      },
    ],
    [t, ask, onSettle, onRefund],
  );
}

function orderFilters(t: T): readonly Filter[] {
  return [
    {
      kind: "select",
      name: "state",
      label: t("orders.state"),
      items: [
        { value: "", label: t("orders.anyState") },
        { value: "pending", label: stateName("pending", t) },
        { value: "paid", label: stateName("paid", t) },
        { value: "failed", label: stateName("failed", t) },
        { value: "expired", label: stateName("expired", t) },
      ],
    },
    { kind: "suggest", name: "username", label: t("orders.user"), ...byUserText },
  ];
}

function orderColumns(t: T, language: Language): readonly Column<AnyOrder>[] {
  return [
    {
      id: "number",
      title: t("orders.number"),
      rank: 2,
      width: 190,
      grow: 1,
      card: "title",
      csv: (row) => row.number,
      cell: (row) => <CutText mono>{row.number}</CutText>,
    },
    {
      id: "username",
      title: t("orders.user"),
      rank: 1,
      width: 110,
      card: "fact",
      brief: (row) => row.username,
      csv: (row) => `${row.user_id} ${row.username}`,
      cell: (row) => (
        <Link to="/user" search={{ keyword: row.username }}>
          {row.username} #{row.user_id}
        </Link>
      ),
    },
    {
      id: "state",
      title: t("orders.state"),
      rank: 1,
      width: 90,
      card: "lead",
      csv: (row) => row.state,
      cell: (row) => <OrderBadge order={row} />,
    },
    moneyColumn(t("orders.money"), language),
    quotaColumn(t("orders.quota")),
    {
      id: "method",
      title: t("orders.method"),
      rank: 3,
      width: 130,
      csv: (row) => `${row.processor} ${row.method}`,
      cell: (row) => methodName(row.method, t),
    },
    {
      id: "created_at",
      title: t("orders.created"),
      rank: 3,
      width: 110,
      csv: (row) => showTime(row.created_at, ""),
      cell: (row) => <TimeCell seconds={row.created_at} />,
    },
  ];
}
