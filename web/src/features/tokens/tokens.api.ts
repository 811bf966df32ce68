/** The token screen's calls. Every user sees only the own tokens here, root too. */

import {
  keepPreviousData,
  queryOptions,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { listOwnGroups } from "@tollgate/contract/groups.ts";
import { listOwnModels } from "@tollgate/contract/models.ts";
import * as contract from "@tollgate/contract/tokens.ts";
import { call, callWhole } from "#api/call.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { copyNames, randomSuffix, type TokenDraft, type TokenValues } from "./token-form.ts";
import { searchOf } from "./tokens.search.ts";

const allTokens = ["tokens"] as const;

type TokenPage = { readonly items: readonly contract.Token[]; readonly total: number };

type PageInput = { readonly keyword: string; readonly page: number; readonly size: number };

function tokensQuery({ keyword, page, size }: PageInput) {
  return queryOptions({
    queryKey: [...allTokens, { keyword, page, size }],
    queryFn: ({ signal }) => readTokens({ keyword, page, size }, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readTokens(
  { keyword, page, size }: PageInput,
  signal: AbortSignal,
): Promise<TokenPage> {
  // Token lists count their pages from 0.
  const window = { p: page - 1, size };
  const { data, extras } =
    keyword === ""
      ? await callWhole(contract.listTokens, window, signal)
      : await callWhole(contract.searchTokens, { ...window, ...searchOf(keyword) }, signal);
  return { items: data, total: extras.total };
}

export function useTokens(input: PageInput) {
  return useQuery(tokensQuery(input));
}

/** One token; `id` null: none is read. */
export function useToken(id: number | null) {
  return useQuery({
    queryKey: ["token", id],
    queryFn: ({ signal }) => call(contract.readToken, { id: id ?? 0 }, signal),
    enabled: id !== null,
    // An edit starts from the current values, not from a list that may be minutes old.
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Reads a token from the server, not from a cache. */
export async function readTokenNow(id: number): Promise<contract.Token> {
  return await call(contract.readToken, { id });
}

export function useOwnGroups() {
  return useQuery({
    queryKey: ["own-groups"],
    queryFn: ({ signal }) => call(listOwnGroups, {}, signal),
    staleTime: 60_000,
  });
}

/** Models the caller can call. */
export function useOwnModels() {
  return useQuery({
    queryKey: ["own-models"],
    queryFn: ({ signal }) => call(listOwnModels, {}, signal),
    staleTime: 60_000,
  });
}

/** The created tokens, and why others were refused. */
export type CreatedTokens = {
  readonly tokens: readonly contract.Token[];
  readonly error: unknown;
};

/**
 * Creates the tokens one after another; the answers hold their whole keys. Throws if the first is
 * refused; later refusals are returned beside the created tokens.
 */
export function useCreateTokens() {
  return useChange(async ({ token, count }: TokenDraft): Promise<CreatedTokens> => {
    const tokens: contract.Token[] = [];
    for (const name of copyNames(token.name, count, randomSuffix)) {
      try {
        tokens.push(await call(contract.createToken, { ...token, name }));
      } catch (error) {
        if (tokens.length === 0) throw error;
        return { tokens, error };
      }
    }
    return { tokens, error: null };
  });
}

/** `read`: the token from which the form was filled; quota that was spent since stays spent. */
export function useUpdateToken() {
  return useChange(({ read, values }: { read: contract.Token; values: TokenValues }) =>
    call(contract.updateToken, { id: read.id, ...values, used_quota: read.used_quota }),
  );
}

/** Resolves to the token with its present status. */
export function useSetTokenStatus() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: { id: number; enabled: boolean }) =>
      call(contract.updateTokenStatus, { id: change.id, status: statusOf(change.enabled) }),
    onSuccess: (token) => putToken(queries, token),
    // After a refusal the row on the screen is out of date.
    onError: () => queries.invalidateQueries({ queryKey: allTokens }),
  });
}

/** Puts the server's answer into the row, on every page that has it. */
function putToken(queries: QueryClient, token: contract.Token): void {
  queries.setQueriesData<TokenPage>({ queryKey: allTokens }, (page) =>
    page === undefined
      ? page
      : { ...page, items: page.items.map((row) => (row.id === token.id ? token : row)) },
  );
}

export function useRemoveToken() {
  return useChange((id: number) => call(contract.removeToken, { id }));
}

type StatusResult = { readonly id: number; readonly message: string };

/** The tokens that were not changed, with the reason. */
export function useSetTokenStatuses() {
  return useChange(async ({ ids, enabled }: { ids: readonly number[]; enabled: boolean }) => {
    const refused: StatusResult[] = [];
    for (const batch of batchesOf(ids)) {
      const status = statusOf(enabled);
      const results = await call(contract.updateTokenStatuses, { ids: batch, status });
      refused.push(...results.filter(({ success }) => !success));
    }
    return refused;
  });
}

/** Resolves to the number of removed tokens. */
export function useRemoveTokens() {
  return useChange(async (ids: readonly number[]) => {
    let removed = 0;
    for (const batch of batchesOf(ids)) {
      removed += await call(contract.removeTokens, { ids: batch });
    }
    return removed;
  });
}

/** The whole key with `sk-`; the audit log records each reading. */
export async function readWholeKey(id: number): Promise<string> {
  const { key } = await call(contract.revealToken, { id });
  return tokenKeyPrefix + key;
}

type NamedKey = { readonly id: number; readonly name: string; readonly key: string };

/** The keys of many tokens, in calls of a hundred. */
export async function readWholeKeys(ids: readonly number[]): Promise<NamedKey[]> {
  const keys: NamedKey[] = [];
  for (const batch of batchesOf(ids)) {
    const answered = await call(contract.revealTokens, { ids: batch });
    keys.push(...answered.map((row) => ({ ...row, key: tokenKeyPrefix + row.key })));
  }
  return keys;
}

function batchesOf(ids: readonly number[]): number[][] {
  const count = Math.ceil(ids.length / contract.tokenBatchMax);
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * contract.tokenBatchMax, (index + 1) * contract.tokenBatchMax),
  );
}

function statusOf(enabled: boolean) {
  return enabled ? contract.tokenStatus.enum.enabled : contract.tokenStatus.enum.disabled;
}

/** A mutation after which the lists are read again. */
function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    // Done after an error too, because part of the change may have been made.
    onSettled: () => queries.invalidateQueries({ queryKey: allTokens }),
  });
}
