/**
 * Records that the command palette finds by id or name, through the search endpoints of the lists.
 */

import { queryOptions, useQueries } from "@tanstack/react-query";
import { searchChannels } from "@tollgate/contract/endpoints/channels.ts";
import { listLogs, listOwnLogs } from "@tollgate/contract/endpoints/logs.ts";
import { readToken, searchTokens, type Token } from "@tollgate/contract/endpoints/tokens.ts";
import { searchUsers } from "@tollgate/contract/endpoints/user-admin.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { call, CallError } from "#api/call.ts";
import { isLikeKey } from "#ui/copy/kept-secret.ts";

/** A found record: its address, its name, and a line of details. */
export type FoundRecord = {
  readonly kind: RecordKind;
  readonly id: number;
  readonly address: string;
  readonly label: string;
  readonly hint: string;
};

export type RecordKind = "channel" | "log" | "token" | "user";

/** The largest number of records of one kind in the results. */
const foundMax = 5;

/** A longer text, in characters, is not searched; no name or id is longer. */
const textMax = 100;

/**
 * Milliseconds for which a result is reused, so that typing the same text again sends no request.
 */
const staleMs = 30_000;

/**
 * Returns the kinds of records that are searched for a text, as far as the user's role may search
 * them.
 */
export function kindsFor(text: string, rank: number): readonly RecordKind[] {
  if (text === "" || text.length > textMax || rank < role.enum.user) return [];
  if (requestIdTime(text) !== null) return ["log"];
  const isAdmin = rank >= role.enum.admin;
  // A key is searched only where it is sent masked or in a body.
  if (isLikeKey(text)) return isAdmin ? ["channel", "token"] : ["token"];
  if (text.startsWith("sk-")) return text.length > "sk-".length ? ["token"] : [];
  return isAdmin ? ["user", "channel", "token"] : ["token"];
}

const requestId = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{0,9}[0-9A-Za-z]{8}$/;

/** Returns the time in a request id, in Unix seconds; null: the text is not a request id. */
export function requestIdTime(text: string): number | null {
  const [, year, month, day, hour, minute, second] = requestId.exec(text) ?? [];
  if (year === undefined) return null;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms / 1_000;
}

/**
 * Request ids have no index, so a log row is searched by the time in its request id: from
 * `searchedBefore` seconds before it to `searchedAfter` seconds after it.
 */
const searchedBefore = 60;
const searchedAfter = 86_400;

export function usePaletteRecords(text: string, rank: number) {
  return useQueries({
    queries: kindsFor(text, rank).map((kind) => recordsQuery(kind, text, rank)),
    combine: (results) => ({
      records: results.flatMap(({ data }) => data ?? []),
      isFetching: results.some(({ isFetching }) => isFetching),
      isFailed: results.some(({ isError }) => isError),
    }),
  });
}

function recordsQuery(kind: RecordKind, text: string, rank: number) {
  return queryOptions({
    queryKey: ["palette", kind, text, rank],
    // The signal cancels the request when its result is no longer needed.
    queryFn: async ({ signal }) => await readers[kind](text, rank, signal),
    staleTime: staleMs,
    gcTime: staleMs,
    retry: false,
  });
}

type Reader = (text: string, rank: number, signal: AbortSignal) => Promise<readonly FoundRecord[]>;

const readers: Readonly<Record<RecordKind, Reader>> = {
  async user(keyword, _, signal) {
    const { items } = await call(searchUsers, { keyword, p: 1, page_size: foundMax }, signal);
    return items.map(({ id, username, display_name }) => ({
      kind: "user",
      id,
      address: `/user?open=${id}`,
      label: username,
      hint: display_name === username ? `#${id}` : `${display_name} · #${id}`,
    }));
  },

  async channel(keyword, _, signal) {
    const items = await call(searchChannels, { keyword, p: 0, page_size: foundMax }, signal);
    return items.slice(0, foundMax).map(({ id, name }) => ({
      kind: "channel",
      id,
      address: `/channel?open=${id}`,
      label: name,
      hint: `#${id}`,
    }));
  },

  async token(text, _, signal) {
    const search = { p: 0, size: foundMax, ...tokenSearch(text) };
    const [byId, found] = await Promise.all([
      /^\d{1,15}$/.test(text) ? findToken(Number(text), signal) : null,
      call(searchTokens, search, signal),
    ]);
    const others = found.filter(({ id }) => id !== byId?.id);
    return [...(byId === null ? [] : [byId]), ...others].slice(0, foundMax).map(showToken);
  },

  async log(id, rank, signal) {
    const time = requestIdTime(id) ?? 0;
    const search = { request_id: id, p: 1, page_size: foundMax };
    const { items } =
      rank >= role.enum.admin
        ? await call(listLogs, { ...search, ...windowAround(time) }, signal)
        : await call(listOwnLogs, { ...search, ...windowAround(time) }, signal);
    return items.map((log) => ({
      kind: "log",
      id: log.id,
      address: `/log?start=${log.created_at}&end=${log.created_at}&expanded=${log.id}`,
      label: log.request_id,
      hint: log.model_name,
    }));
  },
};

function windowAround(time: number) {
  return { start_timestamp: time - searchedBefore, end_timestamp: time + searchedAfter };
}

function showToken({ id, name, key }: Token): FoundRecord {
  return {
    kind: "token",
    id,
    address: `/token?open=${id}`,
    label: name,
    hint: `sk-${key} · #${id}`,
  };
}

/** Reads one of the user's own tokens by its id; null: the user has no such token. */
async function findToken(id: number, signal: AbortSignal): Promise<Token | null> {
  try {
    return await call(readToken, { id }, signal);
  } catch (error) {
    if (error instanceof CallError && error.status === 200) return null;
    throw error;
  }
}

/**
 * Returns the query that searches tokens: by name or, for a text that begins with `sk-`, by the
 * key's first and last characters, which is all that the server's lists show of it.
 */
export function tokenSearch(text: string): { readonly keyword?: string; readonly token?: string } {
  if (!text.startsWith("sk-") && !isLikeKey(text)) return { keyword: text };
  const bare = text.replace(/^sk-/, "");
  return { token: bare.length > 8 ? `${bare.slice(0, 4)}••••${bare.slice(-4)}` : bare };
}
