import type { Order } from "@tollgate/contract/orders.ts";
import { Download } from "lucide-react";
import { Suspense, useMemo, useState } from "react";
import { showMoney } from "#display/money.ts";
import { showTime } from "#display/time.ts";
import { type Language, type T, useLanguage, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Section } from "#ui/layout/Section.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { CsvExport } from "#ui/table/lazy-parts.ts";
import { ListBody } from "#ui/table/ListBody.tsx";
import type { ListSearch, SetListSearch } from "#ui/table/list-search.ts";
import { Pager } from "#ui/table/pages/Pager.tsx";
import { RefreshControl } from "#ui/table/tools/RefreshControl.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { methodName, orderTones, stateName } from "#widgets/orders/order-texts.ts";
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
  const [isExporting, setExporting] = useState(false);
  const columns = useMemo(() => orderColumns(t, language), [t, language]);
  const { data } = query;
  return (
    <Section
      title={t("wallet.orders")}
      description={t("wallet.ordersHelp")}
      actions={
        <>
          <RefreshControl
            id={id}
            updatedAt={query.dataUpdatedAt}
            isFetching={query.isFetching}
            refetch={query.refetch}
          />
          <IconButton
            label={t("ui.tableExport")}
            icon={<Download size={16} aria-hidden />}
            loading={isExporting}
            onClick={() => setExporting(true)}
          />
        </>
      }
    >
      <div className="flex min-w-0 flex-col gap-3">
        <Suspense>
          {isExporting && (
            <CsvExport
              id={id}
              columns={columns}
              rowId={rowId}
              fetchPage={readOwnOrders}
              onEnd={() => setExporting(false)}
            />
          )}
        </Suspense>
        <ListBody<Order>
          id={id}
          title={t("wallet.orders")}
          search={search}
          onSearch={onSearch}
          query={query}
          columns={columns}
          rowId={rowId}
          rowName={rowId}
          onOpen={(row) => props.onOpen(row.number)}
          empty={{
            title: t("wallet.ordersNone"),
            description: t("wallet.ordersNoneHow"),
            action: <Button onClick={props.onTopUp}>{t("wallet.tabTopUp")}</Button>,
          }}
          filtered={false}
          onClear={nothing}
        />
        {data !== undefined && (data.items.length > 0 || search.page > 1) && (
          <Pager page={search.page} size={search.size} data={data} onChange={onSearch} />
        )}
      </div>
    </Section>
  );
}

const rowId = (order: Order) => order.number;
const nothing = () => {};

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
      csv: (row) => stateName(row.state, t),
      cell: (row) => <Badge tone={orderTones[row.state]}>{stateName(row.state, t)}</Badge>,
    },
    {
      id: "money",
      title: t("wallet.money"),
      rank: 1,
      width: 96,
      align: "right",
      card: "fact",
      csv: (row) => showMoney(row.money, row.currency, "en"),
      cell: (row) => showMoney(row.money, row.currency, language),
    },
    {
      id: "quota",
      title: t("wallet.quota"),
      rank: 1,
      width: 96,
      align: "right",
      card: "fact",
      csv: (row) => String(row.quota),
      cell: (row) => <QuotaText quota={row.quota} />,
    },
    {
      id: "method",
      title: t("wallet.method"),
      rank: 3,
      width: 90,
      csv: (row) => methodName(row.method, t),
      cell: (row) => methodName(row.method, t),
    },
    {
      id: "created_at",
      title: t("wallet.time"),
      rank: 2,
      width: 110,
      card: "fact",
      csv: (row) => showTime(row.created_at, ""),
      cell: (row) => <TimeCell seconds={row.created_at} />,
    },
  ];
}
