/** What is left of nodes that have ended: their records get into the books, then their holds end. */

import type { Logger } from "#base/logger.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { LedgerStore } from "#modules/ledger/ledger.store.ts";

type RecoverDeps = {
  readonly store: Pick<LedgerStore, "applyEnded" | "endEpochs" | "hasNode" | "releaseInterrupted">;
  readonly log: Pick<Logger, "warn">;
};

/**
 * How long the process that used the data directory before may keep its epoch from being ended, in
 * milliseconds: its last transaction may stay open for a while. Later it is found like any other dead
 * node.
 */
const previousMaxMs = 5_000;
const retryMs = 100;

type Clock = { readonly elapsed: () => number; readonly wait: (ms: number) => Promise<void> };

/**
 * Writes into the books what the process has told its clients that used the data directory before.
 * Does not throw.
 */
export async function recoverPrevious(
  { elapsed, wait, ...deps }: Clock & RecoverDeps,
  previous: string,
): Promise<void> {
  for (const fromMs = elapsed(); elapsed() - fromMs < previousMaxMs; await wait(retryMs)) {
    try {
      const ended = await deps.store.endEpochs([previous], null);
      if (ended.length === 0 && (await deps.store.hasNode(previous))) continue;
      await releaseNodes(deps, [previous]);
      return;
    } catch (error) {
      deps.log.warn({ err: error }, "what the last process has left could not be dealt with yet");
    }
  }
}

/** Ends what nodes of ended epochs have left. */
export async function releaseNodes(
  { store, log }: RecoverDeps,
  nodeIds: readonly string[],
): Promise<void> {
  let total = 0;
  for (const nodeId of nodeIds) {
    // A call that was answered must be in the books before the holds of the others end.
    while (await applyEnded(store, nodeId));
    for (;;) {
      const released = await store.releaseInterrupted(nodeId);
      if (released === 0) break;
      total += released;
    }
  }
  if (total > 0) log.warn({ calls: total }, "released the holds of interrupted calls");
}

/**
 * Writes one group of records of a node's ended epochs into the books.
 * @returns false: there was none.
 */
export async function applyEnded(
  store: Pick<LedgerStore, "applyEnded">,
  nodeId: string,
): Promise<boolean> {
  try {
    return await store.applyEnded(nodeId, false);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return await store.applyEnded(nodeId, true);
  }
}
