/**
 * Token bookkeeping from the hot path: marks exhausted and expired tokens, batches last-used times.
 */

import { unixSeconds } from "#base/clock.ts";
import type { TokenStore } from "./tokens.store.ts";
import type { TokenUsage } from "./tokens.ts";

/**
 * Tokens whose last use is kept in memory between two saves. Uses of further tokens are dropped.
 */
const usedMax = 50_000;

export function openTokenUsage(
  store: Pick<TokenStore, "markToken" | "touchTokens">,
  { applyChanges, now }: { readonly applyChanges: () => Promise<void>; readonly now: () => number },
): TokenUsage {
  const used = new Map<number, number>();
  // Tokens being marked now, so that repeated calls with an exhausted token mark it only once at a
  // time.
  const marking = new Set<number>();

  async function mark(tokenId: number, status: 3 | 4): Promise<void> {
    try {
      if (await store.markToken(tokenId, status, now())) await applyChanges();
    } catch {
      // A failure is ignored, because the next call with the token tries again.
    } finally {
      marking.delete(tokenId);
    }
  }

  return {
    markToken(tokenId, status) {
      if (marking.has(tokenId)) return;
      marking.add(tokenId);
      void mark(tokenId, status);
    },
    noteUse(tokenId) {
      if (used.has(tokenId) || used.size < usedMax) used.set(tokenId, unixSeconds(now()));
    },
    async saveUse() {
      if (used.size === 0) return;
      const rows = [...used].map(([id, accessed_time]) => ({ id, accessed_time }));
      used.clear();
      await store.touchTokens(rows);
    },
  };
}
