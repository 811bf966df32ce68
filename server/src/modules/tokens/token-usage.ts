/**
 * Updates of tokens by calls: marks exhausted and expired tokens, and collects last-used times to
 * save them together. No call waits for these updates.
 */

import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { KeyColumns } from "./imported-tokens.ts";
import type { FrozenToken, TokenStore } from "./tokens.store.ts";
import type { HashedToken, Overrun, TokenUsage } from "./tokens.ts";

/**
 * The largest number of tokens whose last use is kept in memory between two saves. Uses of further
 * tokens are not recorded.
 */
const usedMax = 50_000;

type UsageDeps = {
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
  /** Returns the columns that store the key of a user's token. */
  readonly columnsOf: (userId: number, key: string) => KeyColumns;
  /** Tells the owner of a frozen token and root. Does not throw. */
  readonly tellFrozen: (frozen: FrozenToken & Overrun) => Promise<void>;
};

export function openTokenUsage(
  store: Pick<TokenStore, "adoptKey" | "freezeToken" | "markToken" | "touchTokens">,
  { applyChanges, columnsOf, now, log, tellFrozen }: UsageDeps,
): TokenUsage {
  const used = new Map<number, number>();
  // Ids of the tokens that are being marked now, so that several calls with an exhausted token do
  // not mark it several times.
  const marking = new Set<number>();
  const adopting = new Set<number>();

  async function mark(tokenId: number, status: 3 | 4, needed: number): Promise<void> {
    try {
      if (await store.markToken(tokenId, { status, needed }, now())) await applyChanges();
    } catch {
      // The error is ignored, because the next call with the token tries to mark it again.
    } finally {
      marking.delete(tokenId);
    }
  }

  async function adopt({ id, userId, lookup }: HashedToken, key: string): Promise<void> {
    try {
      const adoption = { id, before: lookup, ...columnsOf(userId, key) };
      if (await store.adoptKey(adoption, now())) await applyChanges();
    } catch (error) {
      // The next call with the key tries again, because it finds the token by the hash as well.
      log.error({ tokenId: id, err: error }, "the key of a token could not be stored");
    } finally {
      adopting.delete(id);
    }
  }

  async function freeze(overrun: Overrun): Promise<void> {
    const frozen = await store.freezeToken(overrun, now());
    if (frozen === undefined) return;
    await applyChanges();
    await tellFrozen({ ...frozen, ...overrun });
  }

  return {
    freezeToken(overrun) {
      freeze(overrun).catch((error: unknown) =>
        log.error({ ...overrun, err: error }, "a token could not be frozen"),
      );
    },
    adoptKey(token, key) {
      if (adopting.has(token.id)) return;
      adopting.add(token.id);
      void adopt(token, key);
    },
    markToken(tokenId, status, needed = 1) {
      if (marking.has(tokenId)) return;
      marking.add(tokenId);
      void mark(tokenId, status, needed);
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
