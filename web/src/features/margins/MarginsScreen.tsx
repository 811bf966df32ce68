import type {
  CostedCall,
  MarginKind,
  MarginRow,
  MarginSums,
} from "@tollgate/contract/endpoints/margins.ts";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { FigureGrid } from "#ui/chart/FigureGrid.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import type { Filter } from "#ui/table/column.ts";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { knownPercent, marginOf, marginPercent } from "#widgets/money/margin.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { byChannelId, byGroup, byUser } from "#widgets/people/name-filters.ts";
import * as api from "./margins.api.ts";
import { lossColumns, marginColumns } from "./margins.columns.tsx";
import { marginSearch, type MarginSearch, type MarginView, marginViews } from "./margins.search.ts";

/** `/margins`, for root: what calls were charged, less what their channels charge. */
export function MarginsScreen() {
  const [search, setSearch] = useListSearch(marginSearch);
  return search.by === "losses" ? (
    <Losses search={search} onSearch={setSearch} />
  ) : (
    <Margins by={search.by} search={search} onSearch={setSearch} />
  );
}

type Props = {
  readonly search: MarginSearch;
  readonly onSearch: SetListSearch<MarginSearch>;
};

function Margins({ by, search, onSearch }: Props & { readonly by: MarginKind }) {
  const t = useT();
  const { quotaPerUnit } = useQuotaDisplay();
  const { data, ...query } = api.useMargins(by, search);
  const title = nameOf(by, t);
  const columns = useMemo(
    () => marginColumns({ t, quotaPerUnit, title }),
    [t, quotaPerUnit, title],
  );
  return (
    <ListScreen<MarginRow, MarginSearch>
      {...frameOf(t, search, onSearch)}
      query={{ ...query, data: data?.data }}
      fetchPage={async (window, signal) =>
        await api.readMargins(by, { ...search, ...window }, signal)
      }
      columns={columns}
      rowId={({ id, name }) => `${id} ${name}`}
      rowName={({ id, name }) => name || `#${id}`}
      summary={
        data !== undefined ? (
          <Totals totals={data.extras.totals} />
        ) : query.error === null ? (
          <TotalsOutline />
        ) : null
      }
      empty={{
        title: search.below === "true" ? t("margins.noLosses") : t("margins.emptyTitle"),
        description: t("margins.emptyText"),
        action: <LinkButton to="/channel">{t("margins.emptyAction")}</LinkButton>,
      }}
    />
  );
}

function Losses({ search, onSearch }: Props) {
  const t = useT();
  const { quotaPerUnit } = useQuotaDisplay();
  const query = api.useLosses(search);
  const columns = useMemo(() => lossColumns({ t, quotaPerUnit }), [t, quotaPerUnit]);
  return (
    <ListScreen<CostedCall, MarginSearch>
      {...frameOf(t, search, onSearch)}
      query={query}
      fetchPage={async (window, signal) => await api.readLosses({ ...search, ...window }, signal)}
      columns={columns}
      rowId={({ id }) => String(id)}
      rowName={({ request_id }) => request_id}
      empty={{
        title: t("margins.noLosses"),
        description: t("margins.emptyText"),
        action: <LinkButton to="/channel">{t("margins.emptyAction")}</LinkButton>,
      }}
    />
  );
}

/** What both lists have around them. */
function frameOf(t: T, search: MarginSearch, onSearch: SetListSearch<MarginSearch>) {
  return {
    id: `margins-${search.by}`,
    title: t("margins.title"),
    description: t("margins.description"),
    search,
    onSearch,
    keyword: { name: "model_name", placeholder: t("margins.modelPlaceholder") },
    filters: filtersOf(t),
    controls: (
      <>
        <Segmented<MarginView>
          aria-label={t("margins.by")}
          items={marginViews.map((value) => ({ value, label: nameOf(value, t) }))}
          value={search.by}
          onChange={(by) => onSearch({ by })}
        />
        {search.by !== "losses" && (
          <Switch
            label={t("margins.below")}
            checked={search.below === "true"}
            onChange={(on) => onSearch({ below: String(on) })}
          />
        )}
      </>
    ),
    controlsSet: search.below === "true" ? 1 : 0,
  };
}

function nameOf(view: MarginView, t: T): string {
  switch (view) {
    case "models":
      return t("margins.models");
    case "channels":
      return t("margins.channels");
    case "users":
      return t("margins.users");
    case "groups":
      return t("margins.groups");
    case "losses":
      return t("margins.losses");
  }
}

function filtersOf(t: T): readonly Filter[] {
  return [
    { kind: "time", name: "start", end: "end", label: t("margins.time") },
    { kind: "suggest", name: "channel", label: t("margins.channelId"), ...byChannelId },
    { kind: "suggest", name: "username", label: t("margins.user"), ...byUser },
    { kind: "suggest", name: "group", label: t("margins.group"), ...byGroup(true) },
  ];
}

function Totals({ totals }: { readonly totals: MarginSums }) {
  const t = useT();
  const margin = marginOf(totals);
  const unknown = t("margins.unknown");
  return (
    <FigureGrid
      figures={[
        {
          name: t("margins.charged"),
          value: <QuotaText quota={totals.quota} />,
          note: t("margins.callCount", { count: totals.calls }),
        },
        {
          name: t("margins.cost"),
          value: margin === null ? unknown : <QuotaText quota={totals.cost} />,
          note: t("margins.knownOf", { percent: knownPercent(totals) ?? "–" }),
        },
        {
          name: t("margins.margin"),
          value: margin === null ? unknown : <QuotaText quota={margin} />,
          note: marginPercent(totals) ?? "–",
        },
      ]}
    />
  );
}

/** The room of the totals while they are read, so that nothing below them moves. */
function TotalsOutline() {
  const t = useT();
  const bar = <Skeleton width={72} />;
  const names = [t("margins.charged"), t("margins.cost"), t("margins.margin")];
  return <FigureGrid figures={names.map((name) => ({ name, value: bar, note: bar }))} />;
}
