/** Token bookkeeping from the hot path: marks exhausted and expired tokens, batches last-used times. */

import { unixSeconds } from "#base/clock.ts";
import type { TokenStore } from "./tokens.store.ts";

export type TokenUsage = {
  readonly markToken: (tokenId: number, status: 3 | 4) => void;
  readonly noteUse: (tokenId: number) => void;
  readonly saveUse: () => Promise<void>;
};

/** Tokens whose use is remembered between two saves; more are told at the next call. */
const usedMax = 50_000;

export function openTokenUsage(
  store: Pick<TokenStore, "markToken" | "touchTokens">,
  applyChanges: () => Promise<void>,
): TokenUsage {
  const used = new Map<number, number>();
  // A client that goes on calling with a spent token asks again and again.
  const marking = new Set<number>();

  async function mark(tokenId: number, status: 3 | 4): Promise<void> {
    try {
      if (await store.markToken(tokenId, status, Date.now())) await applyChanges();
    } catch {
      // The next call finds the same and tells it again.
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
      if (used.has(tokenId) || used.size < usedMax) used.set(tokenId, unixSeconds(Date.now()));
    },
    async saveUse() {
      if (used.size === 0) return;
      const rows = [...used].map(([id, accessed_time]) => ({ id, accessed_time }));
      used.clear();
      await store.touchTokens(rows);
    },
  };
}
