import type { Dashboard } from "@tollgate/contract/endpoints/dashboard.ts";
import { hourlyDaysMax } from "@tollgate/contract/endpoints/dashboard.ts";
import { daySeconds } from "@tollgate/contract/fields/time-zone.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { lazy, Suspense, useMemo } from "react";
import { showQuotaShort } from "#display/quota.ts";
import { useT, withTexts } from "#i18n/t.ts";
import { ChartCard } from "#ui/chart/ChartCard.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useSession, useStatus } from "#widgets/server/use-status.ts";
import { chartOf } from "./chart-values.ts";
import { PromptCaches } from "./PromptCaches.tsx";
import { type DashboardInput, useDashboard, useTagSums } from "./dashboard.api.ts";
import { dashboardSearch, type DashboardSearch } from "./dashboard.search.ts";
import { DashboardControls } from "./DashboardControls.tsx";
import { DearestCalls } from "./DearestCalls.tsx";
import { Figures } from "./Figures.tsx";
import { Lines } from "./Lines.tsx";
import { barFilters, filtersOf, logLink, tagFilters } from "./log-links.ts";
import { Margin } from "./Margin.tsx";
import { ServerAddresses } from "./ServerAddresses.tsx";
import { ShareCards } from "./ShareCards.tsx";

// Loaded behind the figures, because few calls have tags.
const TagShares = lazy(async () => ({
  default: (await withTexts("tags", import("#widgets/tags/TagShares.tsx"))).TagShares,
}));

/**
 * `/detail`: what calls cost and how many there were. Users see their own calls, admins those of all
 * users.
 */
export function DashboardScreen() {
  const t = useT();
  const isAdmin = (useSession()?.role ?? 0) >= role.enum.admin;
  const [search, setSearch] = useListSearch(dashboardSearch);
  const byDefault = useStatus()?.data_export_default_time ?? "hour";
  const { span, start, end, model_name, group, token_id, username, channel } = search;
  const isLong = start > 0 && (end || nowSeconds()) - start > hourlyDaysMax * daySeconds;
  const asked = search.by === "" ? byDefault : search.by;
  const granularity = isLong && asked === "hour" ? "day" : asked;
  const input = {
    span,
    start,
    end,
    model_name,
    group,
    token_id,
    username,
    channel,
    granularity,
    isAdmin,
  };
  const query = useDashboard(input);
  const { data } = query;
  return (
    <Page>
      <PageHeader
        title={t("app.screenDashboard")}
        description={
          data === undefined && query.isError
            ? t("dashboard.noteShort")
            : t("dashboard.note", {
                minutes: data?.refresh_minutes ?? "…",
                zone: data?.time_zone ?? "…",
              })
        }
      />
      <DashboardControls
        search={search}
        onSearch={setSearch}
        granularity={granularity}
        noHours={isLong}
        data={data}
        isAdmin={isAdmin}
      />
      {data === undefined ? (
        query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Outline />
        )
      ) : (
        <Loaded data={data} input={input} search={search} onSearch={setSearch} />
      )}
      <Lines isAdmin={isAdmin} refreshMinutes={data?.refresh_minutes} />
      <ServerAddresses />
    </Page>
  );
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function Outline() {
  return (
    <>
      <Skeleton height={84} />
      <Skeleton height={340} />
      <Skeleton height={340} />
    </>
  );
}

function Loaded(props: {
  readonly data: Dashboard;
  readonly input: DashboardInput;
  readonly search: DashboardSearch;
  readonly onSearch: SetListSearch<DashboardSearch>;
}) {
  const { data, input, search, onSearch } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const isRoot = useSession()?.role === role.enum.root;
  const whole = filtersOf(data, search);
  const rest = t("dashboard.otherModels");
  const charts = useMemo(
    () => ({ quota: chartOf(data, "quota", rest), calls: chartOf(data, "calls", rest) }),
    [data, rest],
  );
  const shared = {
    timeTitle: t("dashboard.time"),
    linkOf: (bucket: number, series: number | null) =>
      logLink(barFilters(data, whole, { bucket, series })),
    view: search.view,
    onView: (view: DashboardSearch["view"]) => onSearch({ view }, { replace: true }),
  };
  const ofTags = tagFilters(data, search);
  const tags = useTagSums(ofTags, input.isAdmin);
  const isEmpty = data.totals.calls === 0;
  return (
    <>
      <Figures data={data} whole={whole} />
      {isRoot && <Margin data={data} search={search} />}
      {isEmpty ? (
        <Card>
          <p className="py-8 text-center">{t("dashboard.empty")}</p>
        </Card>
      ) : (
        <>
          <div className="grid gap-4 *:min-w-0 2xl:grid-cols-2">
            <ChartCard
              {...shared}
              title={t("dashboard.costByModel")}
              data={charts.quota}
              show={(value) => showQuotaShort(Math.round(value), display)}
              fileName="cost-by-model"
            />
            <ChartCard
              {...shared}
              title={t("dashboard.callsByModel")}
              data={charts.calls}
              show={(value) => value.toLocaleString("en-US")}
              fileName="calls-by-model"
            />
          </div>
          <DearestCalls data={data} />
          <ShareCards data={data} whole={whole} />
          <PromptCaches data={data} input={input} />
          <Suspense>
            <TagShares filters={ofTags} data={tags.data} />
          </Suspense>
        </>
      )}
    </>
  );
}
