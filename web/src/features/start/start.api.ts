import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { markSetupChecklist, markUserChecklist } from "@tollgate/contract/endpoints/checklist.ts";
import { listOwnLogs, logType } from "@tollgate/contract/endpoints/logs.ts";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import {
  createToken,
  listTokens,
  revealToken,
  tokenStatus,
} from "@tollgate/contract/endpoints/tokens.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";
import { checklistsKey } from "#widgets/start/checklists.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";

/** Changes a mark of root's checklist; the list is then read again. */
export function useMarkSetup() {
  return useChange((mark: z.input<(typeof markSetupChecklist)["input"]>) =>
    call(markSetupChecklist, mark),
  );
}

/** Hides the user's start page, or shows it again. */
export function useDismiss() {
  return useChange((marked: boolean) => call(markUserChecklist, { name: "dismissed", marked }));
}

/** Creates the user's first token, which the balance alone limits. Resolves to it, with its key. */
export function useCreateFirstToken() {
  return useChange((name: string) =>
    call(createToken, { name, unlimited_quota: true, expired_time: -1 }),
  );
}

/** How many of the newest tokens are searched for one that works. */
const searchedTokens = 10;

/** Reads the user's newest token that calls can be made with; null: there is none. */
export function useNewestToken(enabled: boolean) {
  return useQuery({
    queryKey: ["tokens", "newest"],
    queryFn: async ({ signal }) => {
      const tokens = await call(listTokens, { p: 0, size: searchedTokens }, signal);
      return tokens.find(({ status }) => status === tokenStatus.enum.enabled) ?? null;
    },
    enabled,
  });
}

/** Reads the names of the models that the user can call. */
export function useOwnModels() {
  return useQuery({
    queryKey: ["own-models"],
    queryFn: ({ signal }) => call(listOwnModels, {}, signal),
  });
}

/** Reads a token's whole key, with `sk-`. The audit log records each read. */
export async function readWholeKey(id: number): Promise<string> {
  const { key } = await call(revealToken, { id });
  return tokenKeyPrefix + key;
}

/** The user's newest charged call; null: there is none. */
export const newestCallQuery = queryOptions({
  queryKey: ["logs", "newest-own"],
  queryFn: async ({ signal }) => {
    const filter = { type: logType.enum.consumption, p: 1, page_size: 1 };
    const { items } = await call(listOwnLogs, filter, signal);
    return items[0] ?? null;
  },
});

/** Milliseconds between two looks for a failed call. */
const failureMs = 6_000;

/** The user's newest failed call; null: there is none. */
export const newestFailureQuery = queryOptions({
  queryKey: ["logs", "newest-own-failure"],
  queryFn: async ({ signal }) => {
    const filter = { type: logType.enum.failure, p: 1, page_size: 1 };
    const { items } = await call(listOwnLogs, filter, signal);
    return items[0] ?? null;
  },
  refetchInterval: failureMs,
});

/** A mutation after which the checklists and the tokens are read again. */
function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: checklistsKey });
      await queries.invalidateQueries({ queryKey: ["tokens"] });
    },
  });
}
