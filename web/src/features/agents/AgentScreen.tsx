import { type OwnAgent, percentText } from "@tollgate/contract/endpoints/agents.ts";
import { useMemo } from "react";
import { type T, useLanguage, useT } from "#i18n/t.ts";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { CardOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { Tabs } from "#ui/layout/Tabs.tsx";
import { type ListSearch, type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { ListSection } from "#ui/table/ListSection.tsx";
import { earningColumns, earningId } from "#widgets/earnings/earning-columns.tsx";
import {
  readDividends,
  readOwnWithdrawals,
  readPurse,
  useOwnAgent,
  useOwnList,
} from "./agents.api.ts";
import { agentSearch, type agentTabs } from "./agents.search.ts";
import { JoinCard } from "./JoinCard.tsx";
import { dividendColumns, utcDay, withdrawalColumns } from "./own-columns.tsx";
import { PurseCard } from "./PurseCard.tsx";

type Tab = (typeof agentTabs)[number];

/** `/agent`: how a user becomes a reseller, and what a reseller earns. */
export function AgentScreen() {
  const t = useT();
  const { data, error, refetch } = useOwnAgent();
  return (
    <Page>
      <div className="flex min-w-0 flex-col gap-4">
        <PageHeader
          title={t("agents.title")}
          description={
            // While the programme is off nobody earns a share, so none is named.
            data?.enabled !== true
              ? t("agents.description")
              : t("agents.how", { percent: percentText(data.rate_bp) })
          }
        />
        {data === undefined && error === null && <CardOutline fields={3} />}
        {data === undefined && error !== null && (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
        {data !== undefined && <Content agent={data} />}
      </div>
    </Page>
  );
}

function Content({ agent }: { readonly agent: OwnAgent }) {
  if (agent.state === "approved" || agent.state === "suspended") return <Figures agent={agent} />;
  return <JoinCard agent={agent} state={agent.state} />;
}

function Figures({ agent }: { readonly agent: OwnAgent }) {
  const t = useT();
  const [search, setSearch] = useListSearch(agentSearch);
  // Safe cast: the list changes only parameters that the addresses of all lists have.
  const onSearch = setSearch as unknown as SetListSearch;
  return (
    <>
      <PurseCard agent={agent} />
      <Tabs
        aria-label={t("agents.title")}
        items={tabItems(t)}
        value={search.tab}
        onChange={(tab) => setSearch({ tab, page: 1 })}
      >
        {search.tab === "purse" && <PurseTab search={search} onSearch={onSearch} />}
        {search.tab === "dividends" && <DividendsTab search={search} onSearch={onSearch} />}
        {search.tab === "withdrawals" && <WithdrawalsTab search={search} onSearch={onSearch} />}
      </Tabs>
    </>
  );
}

function tabItems(t: T): readonly { readonly value: Tab; readonly label: string }[] {
  return [
    { value: "purse", label: t("agents.tabPurse") },
    { value: "dividends", label: t("agents.tabDividends") },
    { value: "withdrawals", label: t("agents.tabWithdrawals") },
  ];
}

type TabProps = { readonly search: ListSearch; readonly onSearch: SetListSearch };

function PurseTab(props: TabProps) {
  const t = useT();
  const columns = useMemo(() => earningColumns(t, true), [t]);
  return (
    <ListSection
      id="own-purse"
      title={t("agents.purse")}
      description={t("agents.purseHelp")}
      {...props}
      query={useOwnList("purse", readPurse, props.search)}
      fetchPage={readPurse}
      columns={columns}
      rowId={earningId}
      empty={{
        title: t("agents.purseNone"),
        description: t("agents.dividendsNoneHow"),
        action: null,
      }}
    />
  );
}

function DividendsTab(props: TabProps) {
  const t = useT();
  const columns = useMemo(() => dividendColumns(t), [t]);
  return (
    <ListSection
      id="own-dividends"
      title={t("agents.dividends")}
      description={t("agents.dividendsHelp")}
      {...props}
      query={useOwnList("dividends", readDividends, props.search)}
      fetchPage={readDividends}
      columns={columns}
      rowId={(row) => `${utcDay(row.day)} #${row.invitee_id}`}
      empty={{
        title: t("agents.dividendsNone"),
        description: t("agents.dividendsNoneHow"),
        action: null,
      }}
    />
  );
}

function WithdrawalsTab(props: TabProps) {
  const t = useT();
  const language = useLanguage();
  const columns = useMemo(
    () => [
      {
        id: "id",
        title: t("agents.number"),
        rank: 1 as const,
        width: 70,
        card: "title" as const,
        csv: (row: { readonly id: number }) => String(row.id),
        cell: (row: { readonly id: number }) => `#${row.id}`,
      },
      ...withdrawalColumns(t, language),
    ],
    [t, language],
  );
  return (
    <ListSection
      id="own-withdrawals"
      title={t("agents.withdrawals")}
      description={t("agents.withdrawalsHelp")}
      {...props}
      query={useOwnList("withdrawals", readOwnWithdrawals, props.search)}
      fetchPage={readOwnWithdrawals}
      columns={columns}
      rowId={(row) => `#${row.id}`}
      empty={{
        title: t("agents.withdrawalsNone"),
        description: t("agents.withdrawalsNoneHow"),
        action: null,
      }}
    />
  );
}
