/** Money at run time: what dead processes left is released, then the judge is lent what there is. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "#base/logger.ts";
import type { Dialect } from "#db/dialect.ts";
import { type Holds, openHolds } from "#modules/ledger/holds.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import type { Batch } from "#modules/ledger/operations.ts";
import { openQueue, type OperationQueue, type SendAnswer } from "#modules/ledger/queue.ts";
import { type RemoteStores, StoreUnavailable } from "#workers/store-client.ts";

export type Books = {
  readonly holds: Holds;
  readonly queue: OperationQueue;
  /** Tells other nodes that this one lives, and releases what dead ones held. */
  readonly beat: () => Promise<void>;
};

export type BooksDeps = {
  readonly dialect: Dialect;
  readonly stores: RemoteStores;
  readonly dataDir: string;
  readonly log: Logger;
};

export async function openBooks({ dialect, stores, dataDir, log }: BooksDeps): Promise<Books> {
  const nodeId = crypto.randomUUID();
  const previous = exchangeNodeId(dataDir, nodeId);
  await releaseNodes(stores, await namesOf(stores, nodeId, previous), log);
  await stores.ledger.beat(nodeId, Date.now());
  const queue = openQueue({
    nodeId,
    send: async (batch) => await send(stores, batch),
    // Where the database lends, calls wait for their reservations.
    ...(dialect === "sqlite" ? { pace } : {}),
    elapsed: () => performance.now(),
    wait: Bun.sleep,
    onRefused: (operation, error) =>
      log.error({ operation: operation.type, err: error }, "the books refused an operation"),
    onStoreState: (failing, reason) =>
      failing
        ? log.error({ reason }, "the store does not commit; new calls are turned away")
        : log.info("the store commits again"),
  });
  const judge = openJudge();
  const policy = dialect === "sqlite" ? "whole" : "exact";
  if (policy === "whole") await lendEverything(stores, judge);
  const holds = openHolds({ policy, judge, queue, now: Date.now, wait: Bun.sleep });
  const beat = async (): Promise<void> => {
    await stores.ledger.beat(nodeId, Date.now());
    await releaseNodes(stores, await stores.ledger.findDeadNodes(nodeId, Date.now()), log);
  };
  return { holds, queue, beat };
}

/**
 * A call that a crash ends in its first milliseconds is not logged as interrupted; nobody was
 * charged for it either.
 */
const pace = { youngMs: 5, gatherMs: 2 };

async function send(stores: RemoteStores, batch: Batch): Promise<SendAnswer> {
  try {
    const results = await stores.ledger.applyBatchText(JSON.stringify(batch));
    return { kind: "committed", results };
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "store-failed", reason: error.reason };
    throw error;
  }
}

async function lendEverything(
  stores: RemoteStores,
  judge: ReturnType<typeof openJudge>,
): Promise<void> {
  for (const { user_id, balance } of await stores.ledger.listBalances()) {
    judge.lend(`user:${user_id}`, balance);
  }
  for (const { token_id, remain } of await stores.ledger.listTokenBalances()) {
    judge.lend(`token:${token_id}`, remain);
  }
}

/** The process that had this data directory before is dead: its lock is ours. */
async function namesOf(
  stores: RemoteStores,
  nodeId: string,
  previous: string | null,
): Promise<string[]> {
  const dead = await stores.ledger.findDeadNodes(nodeId, Date.now());
  return [...new Set(previous === null ? dead : [...dead, previous])];
}

async function releaseNodes(
  stores: RemoteStores,
  nodeIds: readonly string[],
  log: Logger,
): Promise<void> {
  if (nodeIds.length === 0) return;
  let total = 0;
  for (;;) {
    const released = await stores.ledger.releaseInterrupted(nodeIds, Date.now());
    if (released === 0) break;
    total += released;
  }
  await stores.ledger.removeNodes(nodeIds);
  if (total > 0) log.warn({ calls: total }, "released what interrupted calls held");
}

/** Notes this process as the owner of the data directory's holds; gives the one before it. */
function exchangeNodeId(dataDir: string, nodeId: string): string | null {
  const file = join(dataDir, "node-id");
  mkdirSync(dataDir, { recursive: true });
  let previous: string | null = null;
  try {
    previous = readFileSync(file, "utf8").trim();
  } catch {
    // The first start: nobody was before.
  }
  writeFileSync(file, `${nodeId}\n`);
  return previous === "" ? null : previous;
}
