/** The API calls of the channels feature, whose other files call no endpoint themselves. */

import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback } from "react";
import * as contract from "@tollgate/contract/endpoints/channels.ts";
import * as probes from "@tollgate/contract/endpoints/channel-probes.ts";
import { listGroups } from "@tollgate/contract/endpoints/groups.ts";
import {
  listKnownModels,
  listModelNames,
  listUnpricedModels,
} from "@tollgate/contract/endpoints/models.ts";
import type { z } from "zod";
import { call, callWhole } from "#api/call.ts";
import { unhideKey } from "#ui/copy/kept-secret.ts";
import { readTagged } from "#widgets/channels/tagged.ts";
import type { ChannelSearch } from "./channels.search.ts";

type Channel = contract.Channel;

const allChannels = ["channels"] as const;
const allLists = [...allChannels, "list"] as const;

/** Milliseconds for which lists of names (groups, models) count as fresh. */
const namesStaleMs = 60_000;

export type ChannelList = { readonly items: readonly Channel[]; readonly total: number };

/** The list's part of the address, but with pages of any length: exports read longer ones. */
type PageSearch = Omit<ChannelSearch, "size"> & { readonly size: number };

/**
 * Splits the address into paging and filters. The filters are null if none is set: then the plain
 * list is read and not the search.
 */
function pageInput(search: PageSearch) {
  const { group, model, status, type, test } = search;
  const keyword = unhideKey(search.keyword);
  const paging = {
    p: search.page - 1,
    page_size: search.size,
    sort: search.sort,
    id_sort: search.id_sort,
    tag_mode: search.tag_mode,
  };
  const filters = { keyword, group, model, status: Number(status), type: Number(type), test };
  const isFiltered = Object.values(filters).some((value) => value !== "" && value !== 0);
  return { paging, filters: isFiltered ? filters : null };
}

/**
 * Reads the page of the list that the address asks for.
 * @param key only channels that have this key; empty: all.
 */
export function useChannels(search: ChannelSearch, key: string) {
  const { paging, filters } = pageInput(search);
  return useQuery({
    queryKey: [...allLists, paging, filters, key],
    queryFn: ({ signal }) => readChannels(search, key, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readChannels(
  search: PageSearch,
  key: string,
  signal: AbortSignal,
): Promise<ChannelList> {
  const { paging, filters } = pageInput(search);
  const { data, extras } =
    key !== ""
      ? await callWhole(contract.searchNewChannels, { ...paging, ...filters, key }, signal)
      : filters === null
        ? await callWhole(contract.listChannels, paging, signal)
        : await callWhole(contract.searchChannels, { ...paging, ...filters }, signal);
  return { items: data, total: extras.total };
}

function channelQuery(id: number) {
  return queryOptions({
    queryKey: [...allChannels, "one", id],
    queryFn: ({ signal }) => call(contract.readChannel, { id }, signal),
    gcTime: 0,
  });
}

/** Reads one channel; with an id of 0 nothing is read. */
export function useChannel(id: number) {
  return useQuery({ ...channelQuery(id), enabled: id > 0 });
}

/** Reads a channel from the server, even if it is cached. */
export async function readChannelNow(id: number): Promise<Channel> {
  return await call(contract.readChannel, { id });
}

/** Reads all channels of a tag, for the tag's sheet. */
export function useTagChannels(tag: string) {
  return useQuery({
    queryKey: [...allChannels, "tag", tag],
    queryFn: async ({ signal }) => await readTagged(tag, signal),
    gcTime: 0,
  });
}

/** Reads all channel types that the server knows. The console has no list of types of its own. */
export function useChannelTypes() {
  return useQuery({
    queryKey: [...allChannels, "types"],
    queryFn: ({ signal }) => call(contract.listChannelTypes, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useGroupNames() {
  return useQuery({
    queryKey: ["groups"],
    queryFn: ({ signal }) => call(listGroups, {}, signal),
    staleTime: namesStaleMs,
  });
}

/** Reads the names of all models that channels have, sorted. */
export function useModelNames() {
  return useQuery({
    queryKey: [...allChannels, "model-names"],
    queryFn: ({ signal }) => call(listModelNames, {}, signal),
    staleTime: namesStaleMs,
  });
}

/** Reads the names of all models that channels have, and of those known for any provider. */
export function useKnownModels() {
  return useQuery({
    queryKey: [...allChannels, "known-models"],
    queryFn: async ({ signal }) => {
      const [known, own] = await Promise.all([
        call(listKnownModels, {}, signal),
        call(listModelNames, {}, signal),
      ]);
      return [...new Set([...own, ...known.map(({ id }) => id)])];
    },
    staleTime: namesStaleMs,
  });
}

/**
 * Finds those of the given models that an enabled channel offers but that have no price: calls of
 * them are refused.
 */
export async function readUnpriced(models: readonly string[]): Promise<readonly string[]> {
  const unpriced = new Set(await call(listUnpricedModels, {}));
  return models.filter((model) => unpriced.has(model));
}

/**
 * Returns the models that enabled channels offer but that have no price; undefined while they are
 * read.
 */
export function useUnpricedModels(): ReadonlySet<string> | undefined {
  return useQuery({
    queryKey: [...allChannels, "unpriced"],
    queryFn: ({ signal }) => call(listUnpricedModels, {}, signal),
    staleTime: namesStaleMs,
    select: toSet,
  }).data;
}

function toSet(models: readonly string[]): ReadonlySet<string> {
  return new Set(models);
}

/**
 * Milliseconds between two reads of the progress: while all channels are being tested or their
 * balances read (`roundMs`), and otherwise (`noRoundMs`).
 */
const roundMs = 1_000;
const noRoundMs = 30_000;

/** Milliseconds between two reads of where an open channel stands; blocks last seconds. */
const standingMs = 5_000;

/** Reads whether calls come to the channel now, and why not. */
export function useChannelStanding(id: number) {
  return useQuery({
    queryKey: [...allChannels, "standing", id],
    queryFn: ({ signal }) => call(contract.readChannelStanding, { id }, signal),
    refetchInterval: standingMs,
    gcTime: 0,
  });
}

const roundsQuery = queryOptions({
  queryKey: [...allChannels, "rounds"],
  queryFn: ({ signal }) => call(probes.readRounds, {}, signal),
  refetchInterval: ({ state }) => {
    const running = state.data?.tests.running === true || state.data?.balances.running === true;
    return running ? roundMs : noRoundMs;
  },
  // The browser's tab says when a round ends or a channel fails, also while it is in the
  // background.
  refetchIntervalInBackground: true,
});

/** Reads the progress of "test all channels" and "update all balances". */
export function useRounds() {
  return useQuery(roundsQuery);
}

/** Whether the server is testing this channel as one of many. */
export function useIsTested(id: number): boolean {
  const { data = false } = useQuery({
    ...roundsQuery,
    select: ({ tests }) => tests.running && tests.current.includes(id),
  });
  return data;
}

/** Stops "test all channels" or "update all balances". */
export function useStopRound() {
  return useChange((round: "balances" | "tests") => call(probes.stopRound, { round }));
}

/** Returns a function that makes everything about channels be read again. */
export function useRefreshChannels(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: allChannels }), [queries]);
}

/** Returns a function that makes the lists of channels be read again. */
export function useRefreshChannelLists(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: allLists }), [queries]);
}

/** Makes a mutation of channels, after which everything about channels is read again. */
function useChange<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const refresh = useRefreshChannels();
  return useMutation({ mutationFn, onSettled: refresh }).mutateAsync;
}

export type ChannelPatch = Pick<Channel, "id"> &
  Partial<Pick<Channel, "status" | "priority" | "weight">>;

/** Changes a row immediately, before the server answers, and restores it if the server refuses. */
export function usePatchChannel() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (patch: ChannelPatch) => call(contract.updateChannel, patch),
    onMutate: async (patch) => {
      await queries.cancelQueries({ queryKey: allLists });
      const before = queries.getQueriesData<ChannelList>({ queryKey: allLists });
      queries.setQueriesData<ChannelList>({ queryKey: allLists }, (list) => patched(list, patch));
      return { before };
    },
    onError: (_error, _patch, kept) => {
      for (const [key, list] of kept?.before ?? []) queries.setQueryData(key, list);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: allChannels }),
  }).mutateAsync;
}

function patched(list: ChannelList | undefined, patch: ChannelPatch): ChannelList | undefined {
  if (list === undefined) return undefined;
  const items = list.items.map((row) => (row.id === patch.id ? { ...row, ...patch } : row));
  return { ...list, items };
}

export function useCreateChannel() {
  return useChange((input: z.input<(typeof contract.createChannel)["input"]>) =>
    call(contract.createChannel, input),
  );
}

export function useUpdateChannel() {
  return useChange((input: z.input<(typeof contract.updateChannel)["input"]>) =>
    call(contract.updateChannel, input),
  );
}

export function useRemoveChannel() {
  return useChange((id: number) => call(contract.removeChannel, { id }));
}

export function useRemoveChannels() {
  return useChange((ids: readonly number[]) =>
    inBatches(ids, (batch) => call(contract.removeChannels, { ids: batch })),
  );
}

/**
 * Sends ids in batches as large as the server accepts. Resolves to the number of changed channels.
 */
async function inBatches(
  ids: readonly number[],
  change: (ids: number[]) => Promise<number>,
): Promise<number> {
  let changed = 0;
  for (let from = 0; from < ids.length; from += contract.channelBatchMax) {
    changed += await change(ids.slice(from, from + contract.channelBatchMax));
  }
  return changed;
}

export function useRemoveDisabled() {
  return useChange(() => call(contract.removeDisabledChannels, {}));
}

export function useFixChannels() {
  return useChange(() => call(contract.fixChannels, {}));
}

export function useTagChannelsChange() {
  return useChange(({ ids, tag }: { ids: readonly number[]; tag: string }) =>
    inBatches(ids, (batch) => call(contract.tagChannels, { ids: batch, tag })),
  );
}

export function useSwitchChannels() {
  return useChange(({ ids, status }: { ids: readonly number[]; status: 1 | 2 }) =>
    inBatches(ids, (batch) => call(contract.switchChannels, { ids: batch, status })),
  );
}

export type TagChange = z.input<(typeof contract.updateTag)["input"]>;

export function useUpdateTag() {
  return useChange((change: TagChange) => call(contract.updateTag, change));
}

export function useSwitchTag() {
  return useChange(({ tag, enabled }: { tag: string; enabled: boolean }) =>
    call(enabled ? contract.enableTag : contract.disableTag, { tag }),
  );
}

/**
 * Tests a saved channel, with `stream` by a call for a stream. Resolves to the duration of the test
 * in seconds.
 */
export function useTestChannel() {
  return useChange(async ({ id, model, stream = false }: TestInput) => {
    const input = { id, model, stream: String(stream) };
    return (await callWhole(probes.testChannel, input)).extras.time;
  });
}

type TestInput = { readonly id: number; readonly model: string; readonly stream?: boolean };

/** Tests all channels, or with a key and a model those that have this key, with this model. */
export function useTestAll() {
  return useChange((only: { key: string; model: string } | undefined) =>
    call(probes.testChannels, only ?? {}),
  );
}

export function useUpdateBalance() {
  return useChange(async (id: number) => {
    return (await callWhole(probes.updateBalance, { id })).extras.balance;
  });
}

export function useUpdateBalances() {
  return useChange(() => call(probes.updateBalances, {}));
}

/** Tests a channel with the unsaved values in its sheet. Resolves to the duration in seconds. */
export async function tryChannel(
  input: z.input<(typeof probes.tryChannel)["input"]>,
): Promise<number> {
  return (await callWhole(probes.tryChannel, input)).extras.time;
}

/** Reads the names of the models that the upstream offers, with the unsaved values in the sheet. */
export async function fetchModels(
  input: z.input<(typeof probes.fetchNewModels)["input"]>,
): Promise<string[]> {
  return await call(probes.fetchNewModels, input);
}

/** Which of the asked keys channels have, by their place. */
export type KnownKeys = z.output<(typeof probes.findKnownKeys)["output"]>;

/** The answer is in no cache, because the keys are secrets. */
export async function findKnownKeys(
  keys: readonly string[],
  signal: AbortSignal,
): Promise<KnownKeys> {
  return await call(probes.findKnownKeys, { keys: [...keys] }, signal);
}
