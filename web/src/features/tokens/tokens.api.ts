/**
 * The API calls of the two token screens: `own` shows one's own tokens, even to root, and `all` shows
 * root those of all users.
 */

import {
  keepPreviousData,
  queryOptions,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { listOwnGroups } from "@tollgate/contract/endpoints/groups.ts";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import { endOldKey, rotateToken } from "@tollgate/contract/endpoints/token-rotation.ts";
import * as contract from "@tollgate/contract/endpoints/tokens.ts";
import { call, callWhole } from "#api/call.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { copyNames, randomSuffix, type TokenDraft, type TokenValues } from "./token-form.ts";
import { searchOf } from "./tokens.search.ts";

const allTokens = ["tokens"] as const;

type TokenPage = { readonly items: readonly contract.Token[]; readonly total: number };

/** Whose tokens a screen shows. */
export type TokenSource = "all" | "own";

type PageInput = {
  readonly source: TokenSource;
  readonly keyword: string;
  /** A part of the owner's name; only for the source `all`. */
  readonly username: string;
  readonly page: number;
  readonly size: number;
};

function tokensQuery(input: PageInput) {
  return queryOptions({
    queryKey: [...allTokens, input],
    queryFn: ({ signal }) => readTokens(input, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readTokens(
  { source, keyword, username, page, size }: PageInput,
  signal: AbortSignal,
): Promise<TokenPage> {
  // The token endpoints count pages from 0, the screen from 1.
  const window = { p: page - 1, size };
  if (source === "all") {
    const filter = { ...searchOf(keyword), username };
    const { data, extras } = await callWhole(
      contract.searchAllTokens,
      { ...window, ...filter },
      signal,
    );
    return { items: data, total: extras.total };
  }
  const { data, extras } =
    keyword === ""
      ? await callWhole(contract.listTokens, window, signal)
      : await callWhole(contract.searchTokens, { ...window, ...searchOf(keyword) }, signal);
  return { items: data, total: extras.total };
}

export function useTokens(input: PageInput) {
  return useQuery(tokensQuery(input));
}

/** Reads one token anew; with `id` null nothing is read. */
export function useToken(source: TokenSource, id: number | null) {
  const endpoint = source === "all" ? contract.readAnyToken : contract.readToken;
  return useQuery({
    queryKey: ["token", source, id],
    queryFn: ({ signal }) => call(endpoint, { id: id ?? 0 }, signal),
    enabled: id !== null,
    // The token is never taken from the cache, because an edit must start from its present values.
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Reads a token from the server, even if it is cached. */
export async function readTokenNow(source: TokenSource, id: number): Promise<contract.Token> {
  return await call(source === "all" ? contract.readAnyToken : contract.readToken, { id });
}

export function useOwnGroups() {
  return useQuery({
    queryKey: ["own-groups"],
    queryFn: ({ signal }) => call(listOwnGroups, {}, signal),
    staleTime: 60_000,
  });
}

/** Reads the names of the models that the user can call. */
export function useOwnModels() {
  return useQuery({
    queryKey: ["own-models"],
    queryFn: ({ signal }) => call(listOwnModels, {}, signal),
    staleTime: 60_000,
  });
}

/** The tokens that were created, and the error that kept others from being created; null: none. */
export type CreatedTokens = {
  readonly tokens: readonly contract.Token[];
  readonly error: unknown;
};

/**
 * Creates tokens one after another; the answers have their whole keys. If the first is refused, the
 * error is thrown; if a later one is, it is returned with the tokens created before it.
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

/**
 * Updates a token. `read` is the token as the form was filled, so that the server can subtract
 * quota spent since then.
 */
export function useUpdateToken(source: TokenSource) {
  const endpoint = source === "all" ? contract.updateAnyToken : contract.updateToken;
  return useChange(({ read, values }: { read: contract.Token; values: TokenValues }) =>
    call(endpoint, { id: read.id, ...values, used_quota: read.used_quota }),
  );
}

/** Enables or disables a token. Resolves to the token with its new status. */
export function useSetTokenStatus(source: TokenSource) {
  const queries = useQueryClient();
  const endpoint = source === "all" ? contract.updateAnyTokenStatus : contract.updateTokenStatus;
  return useMutation({
    mutationFn: (change: { id: number; enabled: boolean }) =>
      call(endpoint, { id: change.id, status: statusOf(change.enabled) }),
    onSuccess: (token) => putToken(queries, token),
    // A refusal means that the shown row is out of date, so the list is read again.
    onError: () => void queries.invalidateQueries({ queryKey: allTokens }),
  });
}

/** Replaces the token's row in all cached pages of the list. */
function putToken(queries: QueryClient, token: contract.Token): void {
  queries.setQueriesData<TokenPage>({ queryKey: allTokens }, (page) =>
    page === undefined
      ? page
      : {
          ...page,
          items: page.items.map((row) => (row.id === token.id ? { ...row, ...token } : row)),
        },
  );
}

export function useRemoveToken(source: TokenSource) {
  const endpoint = source === "all" ? contract.removeAnyToken : contract.removeToken;
  return useChange((id: number) => call(endpoint, { id }));
}

/** Gives a token a new key; resolves to the token with the whole new key. */
export function useRotateToken() {
  return useChange((input: { id: number; old_key_seconds: number }) => call(rotateToken, input));
}

/** Ends the old key of a token before its time. */
export function useEndOldKey() {
  return useChange((id: number) => call(endOldKey, { id }));
}

type StatusResult = { readonly id: number; readonly message: string };

/** Enables or disables many tokens. Resolves to those that the server refused, with the reasons. */
export function useSetTokenStatuses(source: TokenSource) {
  const endpoint =
    source === "all" ? contract.updateAnyTokenStatuses : contract.updateTokenStatuses;
  return useChange(async ({ ids, enabled }: { ids: readonly number[]; enabled: boolean }) => {
    const refused: StatusResult[] = [];
    for (const batch of batchesOf(ids)) {
      const status = statusOf(enabled);
      const results = await call(endpoint, { ids: batch, status });
      refused.push(...results.filter(({ success }) => !success));
    }
    return refused;
  });
}

/** Removes many tokens. Resolves to the number of removed ones. */
export function useRemoveTokens(source: TokenSource) {
  const endpoint = source === "all" ? contract.removeAnyTokens : contract.removeTokens;
  return useChange(async (ids: readonly number[]) => {
    let removed = 0;
    for (const batch of batchesOf(ids)) removed += await call(endpoint, { ids: batch });
    return removed;
  });
}

/** Reads a token's whole key, with `sk-`. The audit log records each read. */
export async function readWholeKey(id: number): Promise<string> {
  const { key } = await call(contract.revealToken, { id });
  return tokenKeyPrefix + key;
}

type NamedKey = { readonly id: number; readonly name: string; readonly key: string };

/** Reads the whole keys of many tokens, in batches of a hundred. */
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

/** Makes a mutation after which the lists of tokens are read again. */
function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    // The lists are read again even after an error, because part of the change may have been made.
    onSettled: () => queries.invalidateQueries({ queryKey: allTokens }),
  });
}
