/** The API calls of the chat screen, which find a token for the chat client and read its key. */

import { useQuery } from "@tanstack/react-query";
import { pageSizeMax } from "@tollgate/contract/endpoints/page.ts";
import {
  listTokens,
  revealToken,
  type Token,
  tokensPerUserMax,
} from "@tollgate/contract/endpoints/tokens.ts";
import { call } from "#api/call.ts";
import { tokenKeyPrefix } from "#widgets/tokens/KeyText.tsx";
import { tokenState } from "#widgets/tokens/token-state.ts";

/**
 * Finds the user's newest usable token; null: there is none. A token that was found is kept as long
 * as the client is shown, because another token would reload the client.
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
 * Reads the whole key of a token, with `sk-`; with `id` null nothing is read. The audit log records
 * each read, so the key is read once, and forgotten as soon as no component uses it.
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
