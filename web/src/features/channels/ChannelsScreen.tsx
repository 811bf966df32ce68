import { type Channel, channelStatus } from "@tollgate/contract/endpoints/channels.ts";
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { noteFailure } from "#ui/attention/attention.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { FetchPage, RowAction } from "#ui/table/column.ts";
import { useTextQuestion } from "#ui/overlays/use-text-question.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useWide } from "#ui/table/use-browser.ts";
import { bulkActions, rowActions } from "./channel-actions.tsx";
import {
  channelsOf,
  readUnfolded,
  rowId,
  rowsOf,
  type ListRow,
  writeUnfolded,
} from "./channel-rows.ts";
import * as api from "./channels.api.ts";
import { useRecordCommands } from "#widgets/commands/record-commands.ts";
import { channelColumns } from "./channels.columns.tsx";
import {
  channelSearch,
  noFilters,
  type ChannelSearch,
  openTag,
  openTest,
  readOpened,
} from "./channels.search.ts";
import { ChannelTools, ListModes, RoundProgress } from "./ChannelTools.tsx";
import { KeySearch } from "./KeySearch.tsx";
import { useChannelChanges } from "./use-channel-changes.ts";
import { useChannelFilters } from "./use-channel-filters.tsx";

// The sheet is loaded when the first one opens, because most visitors need only the list.
const ChannelSheet = lazy(async () => ({
  default: (await import("./form/ChannelSheet.tsx")).ChannelSheet,
}));
const SetTagDialog = lazy(async () => ({
  default: (await import("./tags/TagSheet.tsx")).SetTagDialog,
}));
const TagSheet = lazy(async () => ({ default: (await import("./tags/TagSheet.tsx")).TagSheet }));
const TestDialog = lazy(async () => ({ default: (await import("./TestDialog.tsx")).TestDialog }));

/** `/channel`: the list of channels, for administrators. */
export function ChannelsScreen() {
  return <ChannelList forRoot={false} />;
}

/** `/newChannel`: the same list, for root, who can also search for a key. */
export function NewChannelsScreen() {
  return <ChannelList forRoot />;
}

function ChannelList({ forRoot }: { forRoot: boolean }) {
  const t = useT();
  const [search, setSearch] = useListSearch(channelSearch);
  const [key, setKey] = useState("");
  // Without a model there is no search for a key, so that a cleared filter shows all channels.
  const searchedKey = search.model === "" ? "" : key;
  const list = useRows(search, searchedKey, setSearch);
  const changes = useChannelChanges();
  const { data: types } = api.useChannelTypes();
  const tagQuestion = useTextQuestion();
  const askTag = tagQuestion.ask;
  const parts = useMemo(() => {
    const typeOf = (type: number) => types?.find((one) => one.type === type);
    const deps = {
      t,
      changes,
      typeOf,
      typeLabel: (type: number) => typeOf(type)?.label,
      onEdit: (id: number) => setSearch({ open: String(id) }),
      onEditTag: (tag: string) => setSearch({ open: openTag(tag) }),
      onTestModels: (id: number) => setSearch({ open: openTest(id) }),
      onUnfold: list.unfold,
      onSwitch: changes.switchOne,
      onSwitchTag: changes.switchTag,
      onNumber: changes.saveNumber,
      onTagNumber: changes.saveTagNumber,
      onTagMany: async (channels: readonly Channel[]) => {
        const tag = await askTag(channels.length);
        return tag === null ? false : await changes.tagMany(channels, tag);
      },
    };
    return { columns: channelColumns(deps), rows: rowActions(deps), bulk: bulkActions(deps) };
  }, [t, changes, types, setSearch, list.unfold, askTag]);
  const filters = useChannelFilters(types);
  useDisabledNote(list.channels);
  useOpenChannelCommands(search.open, list.channels, parts.rows);
  const wide = useWide();
  const keySearch = forRoot && (
    <RootSearch
      {...{ changes, model: search.model, value: searchedKey }}
      onChange={setKey}
      onSearch={setSearch}
    />
  );
  const create = (
    <Button variant="primary" onClick={() => setSearch({ open: "new" })}>
      {t("channels.create")}
    </Button>
  );

  return (
    <ListScreen
      id="channels"
      title={forRoot ? t("channels.newTitle") : t("channels.title")}
      description={forRoot ? t("channels.newDescription") : t("channels.description")}
      search={search}
      onSearch={setSearch}
      query={list.query}
      fetchPage={list.fetchPage}
      columns={parts.columns}
      rowId={rowId}
      rowName={rowName}
      keyword={{ name: "keyword", placeholder: t("channels.keyword") }}
      filters={filters}
      controls={
        <>
          <ListModes search={search} onSearch={setSearch} />
          {/* On phones it is in the sheet with the filters, which leaves room for the list. */}
          {!wide && keySearch}
        </>
      }
      actions={
        <>
          <ChannelTools changes={changes} />
          {create}
        </>
      }
      summary={
        <>
          {wide && keySearch}
          {/* The filter "test failed" alone, because what it finds may be on any page. */}
          <RoundProgress onFailed={() => setSearch({ ...noFilters, test: "failed", page: 1 })} />
        </>
      }
      rowActions={parts.rows}
      bulkActions={parts.bulk}
      countSelected={countChannels}
      onOpen={(row) =>
        setSearch({ open: row.kind === "tag" ? openTag(row.tag) : String(row.channel.id) })
      }
      rowTone={rowTone}
      empty={emptyOf(search, setSearch, create, t)}
      // Few tags may have many channels.
      few={
        search.tag_mode === "true"
          ? undefined
          : {
              title: t("channels.fewTitle"),
              description: t("channels.fewText"),
              action: (
                <Button onClick={() => setSearch({ open: "new" })}>
                  {t("channels.fewAction")}
                </Button>
              ),
            }
      }
    >
      <Suspense>
        <OpenedSheet
          open={search.open}
          rows={list.channels}
          onClose={() => setSearch({ open: "" })}
        />
        {tagQuestion.wasAsked && <SetTagDialog question={tagQuestion} />}
      </Suspense>
    </ListScreen>
  );
}

/** What the list says when it has no rows. */
function emptyOf(
  search: ChannelSearch,
  onSearch: (patch: Partial<ChannelSearch>) => void,
  create: ReactNode,
  t: T,
) {
  if (search.tag_mode !== "true") {
    return {
      title: t("channels.empty"),
      description: t("channels.emptyDescription"),
      action: create,
    };
  }
  const leave = () => onSearch({ tag_mode: "false" });
  return {
    title: t("channels.emptyTags"),
    description: t("channels.emptyTagsDescription"),
    action: <Button onClick={leave}>{t("channels.emptyTagsAction")}</Button>,
  };
}

/** Root's search for a key, beside the other filters. */
function RootSearch(props: {
  /** The key that is searched for; empty: none. */
  value: string;
  onChange: (key: string) => void;
  model: string;
  onSearch: (patch: Partial<ChannelSearch>) => void;
  changes: ReturnType<typeof useChannelChanges>;
}) {
  const { value, onChange, model, onSearch, changes } = props;
  const refresh = api.useRefreshChannels();
  return (
    <KeySearch
      model={model}
      value={value}
      onSearch={(key) => {
        onChange(key);
        onSearch({ page: 1 });
        // The same query again asks the server again.
        if (key === value) void refresh();
      }}
      onReset={() => {
        onChange("");
        onSearch({ ...noFilters, page: 1 });
      }}
      onTest={(key, named) => void changes.testByKey(key, named).then(refresh)}
    />
  );
}

/** Notes for the browser's tab when a channel of the list is disabled automatically. */
function useDisabledNote(channels: readonly Channel[] | undefined): void {
  const before = useRef<ReadonlySet<number> | null>(null);
  useEffect(() => {
    if (channels === undefined) return;
    const on = channels.filter(({ status }) => status !== channelStatus.enum.disabledAutomatically);
    for (const { id, status } of channels) {
      const isNew =
        status === channelStatus.enum.disabledAutomatically && before.current?.has(id) === true;
      if (isNew) noteFailure(`channel ${id}`);
    }
    before.current = new Set(on.map(({ id }) => id));
  }, [channels]);
}

/** Makes the command palette offer the row actions for the channel that is open in the sheet. */
function useOpenChannelCommands(
  open: string,
  rows: readonly Channel[] | undefined,
  actions: readonly RowAction<ListRow>[],
): void {
  const opened = readOpened(open);
  const id = opened.kind === "edit" ? opened.id : 0;
  const known = rows?.find((row) => row.id === id);
  // The open channel may be on another page of the list, in which case it is read separately.
  const read = api.useChannel(rows !== undefined && known === undefined ? id : 0);
  const channel = known ?? (id === 0 ? undefined : read.data);
  const row = useMemo(
    () => channel && { kind: "channel" as const, channel, nested: false },
    [channel],
  );
  useRecordCommands<ListRow>(row, channel?.name ?? "", actions);
}

/** Returns the rows of the present page, and the function that unfolds or folds a tag. */
function useRows(
  search: ChannelSearch,
  key: string,
  setSearch: (patch: { expanded: string }, options: { replace: boolean }) => void,
) {
  const query = api.useChannels(search, key);
  const { expanded, tag_mode } = search;
  const rows = useMemo(
    () => rowsOf(query.data?.items ?? [], tag_mode === "true", readUnfolded(expanded)),
    [query.data, tag_mode, expanded],
  );
  const unfold = useMemo(
    () => (tag: string) => {
      const tags = new Set(readUnfolded(expanded));
      if (!tags.delete(tag)) tags.add(tag);
      setSearch({ expanded: writeUnfolded(tags) }, { replace: true });
    },
    [expanded, setSearch],
  );
  const data = query.data && { items: rows, total: totalOf(rows, query.data.total, search.size) };
  return {
    query: { ...query, data },
    channels: query.data?.items,
    unfold,
    fetchPage: pageOf(search, key),
  };
}

/**
 * Returns the function with which an export reads pages of the list. In an export all tags are
 * folded.
 */
function pageOf(search: ChannelSearch, key: string): FetchPage<ListRow> {
  return async (window, signal) => {
    const { items, total } = await api.readChannels({ ...search, ...window }, key, signal);
    return { items: rowsOf(items, search.tag_mode === "true", new Set()), total };
  };
}

/** The sheet or dialog that the address opens: a channel, a channel's tests, or a tag. */
function OpenedSheet(props: {
  open: string;
  rows: readonly Channel[] | undefined;
  onClose: () => void;
}) {
  const { open, rows, onClose } = props;
  // Keeps the last opened sheet or dialog drawn, because a closed one still fades out.
  const [last, setLast] = useState(open);
  if (open !== "" && open !== last) setLast(open);
  const opened = readOpened(last);
  const isOpen = open !== "";
  switch (opened.kind) {
    case "none":
      return null;
    case "new":
      return <ChannelSheet id={0} open={isOpen} known={undefined} onClose={onClose} />;
    case "edit": {
      const known = rows?.find(({ id }) => id === opened.id);
      return (
        <ChannelSheet
          key={opened.id}
          id={opened.id}
          open={isOpen}
          known={known}
          onClose={onClose}
        />
      );
    }
    case "test":
      return <TestDialog id={opened.id} open={isOpen} onClose={onClose} />;
    case "tag":
      return <TagSheet key={opened.tag} tag={opened.tag} open={isOpen} onClose={onClose} />;
  }
}

/**
 * Returns the total number of rows, for the pager. The server counts a tag as one row. If all tags
 * fit on one page, the channels of unfolded tags are counted as well.
 */
function totalOf(rows: readonly ListRow[], total: number, size: number): number {
  return total <= size && rows.length <= size ? Math.max(rows.length, total) : total;
}

function countChannels(rows: readonly ListRow[]): number {
  return channelsOf(rows).length;
}

function rowName(row: ListRow): string {
  return row.kind === "tag" ? row.tag : row.channel.name;
}

/** Dims a channel that is not enabled, and a tag that has no enabled channel. */
function rowTone(row: ListRow): "muted" | undefined {
  const isOn = row.kind === "tag" ? row.enabledCount > 0 : row.channel.status === 1;
  return isOn ? undefined : "muted";
}
