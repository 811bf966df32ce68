/** How many nodes share the database, which is how many parts a divided limit has. */

import type { Job } from "#jobs/job.ts";
import type { LedgerStore } from "./ledger.store.ts";

type NodeCount = {
  /** At least 1. Stays as it was while the database cannot be asked. */
  readonly count: () => number;
  /** Tells the other nodes that this one is shutting down. Does not throw. */
  readonly noteDraining: () => Promise<void>;
  readonly jobs: readonly Job[];
};

/** The only owner of a SQLite database. */
export const aloneNodes: NodeCount = { count: () => 1, noteDraining: async () => {}, jobs: [] };

/** How often nodes are counted, in milliseconds. */
const countMs = 2_000;

/** Counts before the first call, so that a node which has just started has no more than its part. */
export async function openNodeCount(
  store: Pick<LedgerStore, "countNodes" | "noteDraining">,
  nodeId: string,
): Promise<NodeCount> {
  let nodes = 1;
  const run = async (): Promise<void> => {
    nodes = Math.max(1, await store.countNodes());
  };
  await run();
  return {
    count: () => nodes,
    noteDraining: async () => await store.noteDraining(nodeId).catch(() => {}),
    jobs: [{ name: "count-nodes", everyMs: countMs, runs: "every-node", run }],
  };
}
