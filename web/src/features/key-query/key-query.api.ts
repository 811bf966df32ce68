/** The calls of the page that shows what an API key has used, to whoever has the key. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listTokenLogs, logCountMax, type OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import { readTokenUsage } from "@tollgate/contract/endpoints/tokens.ts";
import { useState } from "react";
import { callByKey } from "#api/call-by-key.ts";
import type { ListPage } from "#ui/table/column.ts";

/** A key that was entered, which stays in the memory of the page. */
export type EnteredKey = {
  readonly key: string;
  /** Names the key in the cache of answers, which must not have the key itself. */
  readonly name: string;
};

let entered = 0;

/** Returns the key that the visitor has entered; null: none. It is gone when the page is left. */
export function useEnteredKey() {
  const [key, setKey] = useState<EnteredKey | null>(null);
  return [
    key,
    (text: string | null) => {
      entered += 1;
      setKey(text === null ? null : { key: text, name: `key ${entered}` });
    },
  ] as const;
}

/** Reads limits and use of the token of a key. */
export function useKeyUsage(entry: EnteredKey | null) {
  return useQuery({
    queryKey: ["key-usage", entry?.name],
    queryFn: async ({ signal }) =>
      (await callByKey(readTokenUsage, {}, { key: entry?.key ?? "", signal })).data,
    enabled: entry !== null,
    // A refused key stays refused, and each try counts against the limit of queries.
    retry: false,
    gcTime: 0,
  });
}

type Window = { readonly page: number; readonly size: number };

export async function readKeyLogs(
  { key }: EnteredKey,
  { page, size }: Window,
  signal: AbortSignal,
): Promise<ListPage<OwnLog>> {
  const window = { p: page, page_size: size };
  const { data, extras } = await callByKey(listTokenLogs, window, { key, signal });
  return { items: data, total: extras.total, capped: extras.total >= logCountMax };
}

/** Reads a page of the calls of the token of a key. */
export function useKeyLogs(entry: EnteredKey, window: Window) {
  return useQuery({
    queryKey: ["key-logs", entry.name, window],
    queryFn: ({ signal }) => readKeyLogs(entry, window, signal),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
}
