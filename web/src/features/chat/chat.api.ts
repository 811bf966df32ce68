/** The chat screen's calls: the token whose key a client gets. */

import { useQuery } from "@tanstack/react-query";
import { pageSizeMax } from "@tollgate/contract/page.ts";
import {
  listTokens,
  revealToken,
  type Token,
  tokensPerUserMax,
} from "@tollgate/contract/tokens.ts";
import { call } from "#api/call.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { tokenState } from "#widgets/tokens/token-state.ts";

/**
 * The newest usable token; null: there is none. It stays the same while a client is shown, because
 * another token would reload the client.
 */
export function useChatToken(userId: number) {
  return useQuery({
    queryKey: ["chat-token", userId],
    queryFn: ({ signal }) => findUsableToken(signal),
    staleTime: ({ state }) => (state.data ? Infinity : 0),
    gcTime: 0,
  });
}

async function findUsableToken(signal: AbortSignal): Promise<Token | null> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  for (let page = 0; page * pageSizeMax < tokensPerUserMax; page += 1) {
    const tokens = await call(listTokens, { p: page, size: pageSizeMax }, signal);
    const usable = tokens.find((token) => tokenState(token, nowSeconds) === "enabled");
    if (usable !== undefined) return usable;
    if (tokens.length < pageSizeMax) return null;
  }
  return null;
}

/**
 * The whole key of a token, with `sk-`; `id` null: none is read. The audit log records each read,
 * so the key is read once, and forgotten as soon as nothing shows it.
 */
export function useChatKey(id: number | null) {
  return useQuery({
    queryKey: ["chat-key", id],
    queryFn: () => readChatKey(id ?? 0),
    enabled: id !== null,
    staleTime: Infinity,
    gcTime: 0,
  });
}

export async function readChatKey(id: number): Promise<string> {
  const { key } = await call(revealToken, { id });
  return tokenKeyPrefix + key;
}
