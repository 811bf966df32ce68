/**
 * Starts the ledger of this process: releases the holds of processes that died, then grants the
 * judge the balances it may spend from.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import type { Dialect } from "#db/dialect.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { Job } from "#jobs/job.ts";
import { type Holds, openHolds } from "./holds.ts";
import { openJudge } from "./judge.ts";
import type { LedgerStore } from "./ledger.store.ts";
import { heartbeatMs } from "./nodes.ts";
import type { Batch } from "./operations.ts";
import { openQueue, type OperationQueue, type SendAnswer } from "./queue.ts";

export type OpenLedger = {
  readonly holds: Holds;
  readonly queue: OperationQueue;
  readonly jobs: readonly Job[];
  readonly gauges: readonly Gauge[];
};

type LedgerDeps = {
  readonly dialect: Dialect;
  readonly store: LedgerStore;
  readonly dataDir: string;
  readonly log: Logger;
};

export async function openLedger(deps: LedgerDeps): Promise<OpenLedger> {
  const { dialect, store, dataDir, log } = deps;
  const nodeId = crypto.randomUUID();
  const previous = exchangeNodeId(dataDir, nodeId);
  await releaseNodes(store, await namesOf(store, nodeId, previous), log);
  await store.beat(nodeId, Date.now());
  const queue = openQueue({
    nodeId,
    send: async (batch) => await send(store, batch),
    // Where grants come from the database, calls wait for their reservations.
    ...(dialect === "sqlite" ? { pace } : {}),
    elapsed: () => performance.now(),
    wait: Bun.sleep,
    onRefused: (operation, error) =>
      log.error({ operation: operation.type, err: error }, "the ledger refused an operation"),
    onStoreState: (failing, reason) =>
      failing
        ? log.error({ reason }, "the store does not commit; new calls are refused")
        : log.info("the store commits again"),
  });
  const judge = openJudge();
  const policy = dialect === "sqlite" ? "whole" : "exact";
  if (policy === "whole") await grantEverything(store, judge);
  const holds = openHolds({ policy, judge, queue, now: Date.now, wait: Bun.sleep });
  return {
    holds,
    queue,
    jobs: [heartbeat({ store, nodeId, log })],
    gauges: gaugesOf(holds, queue),
  };
}

/** Tells other nodes that this one lives, and releases what dead ones held. */
function heartbeat({ store, nodeId, log }: Pick<LedgerDeps, "log" | "store"> & NodeId): Job {
  return {
    name: "heartbeat",
    everyMs: heartbeatMs,
    runs: "every-node",
    async run() {
      await store.beat(nodeId, Date.now());
      await releaseNodes(store, await store.findDeadNodes(nodeId, Date.now()), log);
    },
  };
}

type NodeId = { readonly nodeId: string };

function gaugesOf(holds: Holds, queue: OperationQueue): Gauge[] {
  return [
    { name: "tollgate_holds_open", help: "Reservations that are open.", read: holds.openCount },
    { name: "tollgate_ledger_queue", help: "Operations that wait.", read: queue.length },
    {
      name: "tollgate_ledger_lag_seconds",
      help: "Age of the batch in flight.",
      read: () => queue.lagMs() / 1_000,
    },
  ];
}

/**
 * A call that a crash ends in its first milliseconds is not logged as interrupted; nobody was
 * charged for it either.
 */
const pace = { youngMs: 5, gatherMs: 2 };

async function send(store: LedgerStore, batch: Batch): Promise<SendAnswer> {
  try {
    const results = await store.applyBatchText(JSON.stringify(batch));
    return { kind: "committed", results };
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "store-failed", reason: error.reason };
    throw error;
  }
}

async function grantEverything(
  store: LedgerStore,
  judge: ReturnType<typeof openJudge>,
): Promise<void> {
  for (const { user_id, balance } of await store.listBalances()) {
    judge.grant(`user:${user_id}`, balance);
  }
  for (const { token_id, remain } of await store.listTokenBalances()) {
    judge.grant(`token:${token_id}`, remain);
  }
}

/** The process that had this data directory before is dead: its lock is ours. */
async function namesOf(
  store: LedgerStore,
  nodeId: string,
  previous: string | null,
): Promise<string[]> {
  const dead = await store.findDeadNodes(nodeId, Date.now());
  return [...new Set(previous === null ? dead : [...dead, previous])];
}

async function releaseNodes(
  store: LedgerStore,
  nodeIds: readonly string[],
  log: Logger,
): Promise<void> {
  if (nodeIds.length === 0) return;
  let total = 0;
  for (;;) {
    const released = await store.releaseInterrupted(nodeIds, Date.now());
    if (released === 0) break;
    total += released;
  }
  await store.removeNodes(nodeIds);
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
