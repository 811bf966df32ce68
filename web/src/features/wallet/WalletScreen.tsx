import { lazy, Suspense } from "react";
import { type T, useT, withTexts } from "#i18n/t.ts";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { CardOutline, ListOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { BalanceCard } from "./BalanceCard.tsx";
import { EarningsTab } from "./EarningsTab.tsx";
import { OrderDialog } from "./OrderDialog.tsx";
import { OrdersTab } from "./OrdersTab.tsx";
import { RedeemCard } from "./RedeemCard.tsx";
import { TopUpCard } from "./TopUpCard.tsx";
import { useOwnAccount, useTopUpInfo } from "./wallet.api.ts";
import { walletSearch, type walletTabs } from "./wallet.search.ts";

const StatementTab = lazy(async () => ({
  default: (await withTexts("entries", import("./StatementTab.tsx"))).StatementTab,
}));

type Tab = (typeof walletTabs)[number];

/** `/topup`: how users add to their balance, and everything that has changed it. */
export function WalletScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(walletSearch);
  // Safe cast: the list changes only parameters that the addresses of all lists have.
  const changeList = setSearch as unknown as SetListSearch;
  const openOrder = (order: string) => setSearch({ order });
  return (
    <Page>
      <div className="flex min-w-0 flex-col gap-4">
        <PageHeader title={t("wallet.title")} description={t("wallet.description")} />
        <Tabs
          aria-label={t("wallet.title")}
          items={tabItems(t)}
          value={search.tab}
          onChange={(tab) => setSearch({ tab, page: 1 })}
        >
          {search.tab === "topup" && <TopUpTab onStarted={openOrder} />}
          {search.tab === "orders" && (
            <OrdersTab
              search={search}
              onSearch={changeList}
              onOpen={openOrder}
              onTopUp={() => setSearch({ tab: "topup" })}
            />
          )}
          {search.tab === "earnings" && <EarningsTab search={search} onSearch={changeList} />}
          {search.tab === "records" && (
            <Suspense fallback={<ListOutline />}>
              <StatementTab search={search} onSearch={changeList} />
            </Suspense>
          )}
        </Tabs>
        {search.order !== "" && (
          <OrderDialog
            key={search.order}
            number={search.order}
            onClose={() => setSearch({ order: "" })}
            onTopUp={() => setSearch({ order: "", tab: "topup" })}
          />
        )}
      </div>
    </Page>
  );
}

function tabItems(t: T): readonly { readonly value: Tab; readonly label: string }[] {
  return [
    { value: "topup", label: t("wallet.tabTopUp") },
    { value: "orders", label: t("wallet.tabOrders") },
    { value: "earnings", label: t("wallet.tabEarnings") },
    { value: "records", label: t("wallet.tabRecords") },
  ];
}

const columns = "grid max-w-220 items-start gap-4 lg:grid-cols-2";

/** The shape of the tab: what can be bought, the balance, the redemption of a code. */
function TopUpOutline() {
  return (
    <div className={columns}>
      <CardOutline fields={3} />
      <div className="flex min-w-0 flex-col gap-4">
        <CardOutline fields={2} />
        <CardOutline fields={1} />
      </div>
    </div>
  );
}

function TopUpTab(props: { readonly onStarted: (order: string) => void }) {
  const account = useOwnAccount();
  const info = useTopUpInfo();
  if (account.data === undefined && account.error !== null) {
    return <ErrorState error={account.error} onRetry={() => void account.refetch()} />;
  }
  // The first card is much lower where nothing can be bought, so the others wait to know it.
  if (account.data === undefined || info.isPending) return <TopUpOutline />;
  return (
    <div className={columns}>
      <TopUpCard onStarted={props.onStarted} />
      <div className="flex min-w-0 flex-col gap-4">
        <BalanceCard account={account.data} />
        <RedeemCard />
      </div>
    </div>
  );
}
