import { useNavigate } from "@tanstack/react-router";
import { ScrollText, Search } from "lucide-react";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import type { Filter } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { byChannelId } from "#widgets/people/name-filters.ts";
import { useChannelUse } from "./channel-statistics.api.ts";
import { statisticsColumns } from "./channel-statistics.columns.tsx";
import { statisticsSearch } from "./channel-statistics.search.ts";
import { isOfWholeHours, pageOfUse, sortUse, type UseRow } from "./use-rows.ts";

/** `/channelStatistics`, for root: what was charged through each channel, and how well it works. */
export function ChannelStatisticsScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(statisticsSearch);
  const { page, size, sort, start, end } = search;
  const query = useChannelUse(search);
  const { quotaPerUnit } = useQuotaDisplay();
  const navigate = useNavigate();
  const columns = useMemo(() => statisticsColumns({ t, quotaPerUnit }), [t, quotaPerUnit]);
  const filters = useMemo(() => filtersOf(t), [t]);
  const items = useMemo(
    () => pageOfUse(query.data ?? [], { page, size, sort }),
    [query.data, page, size, sort],
  );
  const actions = useMemo(
    () => [
      {
        key: "logs",
        label: t("channelStatistics.showLogs"),
        icon: <ScrollText size={14} aria-hidden />,
        shown: (row: UseRow) => !row.isTotal,
        onSelect: ({ channel_id, model_name }: UseRow) =>
          void navigate({
            to: "/newLog",
            // Cast: the router knows the parameters of each address only in the routes, which
            // features may not import.
            search: {
              channel: String(channel_id),
              ...(model_name === "" ? {} : { model_name }),
              ...(start === 0 ? {} : { start }),
              ...(end === 0 ? {} : { end }),
            } as unknown as true,
          }),
      },
    ],
    [t, navigate, start, end],
  );
  return (
    <ListScreen
      id="channel-statistics"
      title={t("channelStatistics.title")}
      description={t("channelStatistics.description")}
      search={search}
      onSearch={setSearch}
      query={{ ...query, data: query.data && { items, total: query.data.length } }}
      footerRows={1}
      fetchPage={async (window) => {
        const all = sortUse(query.data ?? [], sort);
        const from = (window.page - 1) * window.size;
        const rows = all.slice(from, from + window.size);
        return await Promise.resolve({
          items: rows.map((row) => ({ ...row, isTotal: false })),
          total: all.length,
        });
      }}
      columns={columns}
      rowId={rowId}
      rowName={(row) => `${row.channel_name} ${row.model_name}`.trim()}
      keyword={{ name: "model_name", placeholder: t("channelStatistics.modelPlaceholder") }}
      filters={filters}
      rowActions={actions}
      controls={
        <Switch
          label={t("channelStatistics.merge")}
          checked={search.merge === "true"}
          onChange={(on) => setSearch({ merge: String(on) })}
        />
      }
      controlsSet={search.merge === "true" ? 1 : 0}
      actions={
        <Button
          icon={<Search size={16} aria-hidden />}
          loading={query.isFetching}
          onClick={() => void query.refetch()}
        >
          {t("channelStatistics.query")}
        </Button>
      }
      summary={
        !isOfWholeHours(search) && (
          <p className="text-sm">
            <Muted>{t("channelStatistics.byHours")}</Muted>
          </p>
        )
      }
      empty={{
        title: t("channelStatistics.emptyTitle"),
        description: t("channelStatistics.emptyText"),
        action: <LinkButton to="/channel">{t("channelStatistics.emptyAction")}</LinkButton>,
      }}
    />
  );
}

function filtersOf(t: T): readonly Filter[] {
  return [
    { kind: "time", name: "start", end: "end", label: t("channelStatistics.time") },
    {
      kind: "suggest",
      name: "channel_id",
      label: t("channelStatistics.channelId"),
      ...byChannelId,
    },
  ];
}

function rowId(row: UseRow): string {
  return row.isTotal ? "total" : `${row.channel_id} ${row.model_name}`;
}
