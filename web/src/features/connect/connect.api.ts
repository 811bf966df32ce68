/** Calls of the page “Connect”: own keys and models, and the first call that a program makes. */

import { useQuery } from "@tanstack/react-query";
import { listOwnLogs, logType } from "@tollgate/contract/endpoints/logs.ts";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import { listTokens, revealToken } from "@tollgate/contract/endpoints/tokens.ts";
import { call } from "#api/call.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { tokenState } from "#widgets/tokens/token-state.ts";

/** How many of the newest keys can be chosen. */
const tokensMax = 100;

/** Milliseconds between two looks for the first call. */
const watchMs = 2_500;

/** Reads the user's own keys that calls can be made with, newest first. */
export function useWorkingTokens() {
  return useQuery({
    queryKey: ["tokens", "working"],
    queryFn: async ({ signal }) => {
      const tokens = await call(listTokens, { p: 0, size: tokensMax }, signal);
      const now = Math.floor(Date.now() / 1_000);
      return tokens.filter((token) => tokenState(token, now) === "enabled");
    },
  });
}

/** Reads the names of the models that the user can call. */
export function useOwnModels() {
  return useQuery({
    queryKey: ["own-models"],
    queryFn: ({ signal }) => call(listOwnModels, {}, signal),
  });
}

/** Reads a key, with `sk-`. The audit log records each read. */
export async function readWholeKey(id: number): Promise<string> {
  const { key } = await call(revealToken, { id });
  return tokenKeyPrefix + key;
}

/**
 * Waits for a call with a key that comes after this page was opened. Looks until one was charged;
 * null: none yet. Rows are told apart by their ids, because the browser's clock may be wrong.
 */
export function useFirstCall(tokenId: number) {
  const { data: newest } = useQuery({
    queryKey: ["logs", "connect", tokenId, "newest"],
    queryFn: async ({ signal }) => {
      const { items } = await call(listOwnLogs, { p: 1, page_size: 1 }, signal);
      return items[0]?.id ?? 0;
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  return useQuery({
    queryKey: ["logs", "connect", tokenId, newest],
    queryFn: async ({ signal }) => {
      const filter = { token_id: tokenId, after_id: newest ?? 0, p: 1, page_size: 10 };
      const { items } = await call(listOwnLogs, filter, signal);
      const charged = items.find(({ type }) => type === logType.enum.consumption);
      const failed = items.findLast(({ type }) => type === logType.enum.failure);
      return { charged: charged ?? null, failed: failed ?? null };
    },
    enabled: newest !== undefined,
    refetchInterval: ({ state }) => (state.data?.charged == null ? watchMs : false),
  });
}
