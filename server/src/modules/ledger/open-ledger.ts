/**
 * Starts the ledger of this process. On SQLite it releases the holds of the previous process and
 * grants the judge all balances; on PostgreSQL it joins the nodes that share the database.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import type { Dialect } from "#db/dialect.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { Job } from "#jobs/job.ts";
import { encodeBatch } from "./batch-text.ts";
import { openDriftWatch } from "./drift/drift-watch.ts";
import { type Holds, openHolds } from "./holds.ts";
import { openJudge } from "./judge.ts";
import type { Books } from "./journal/books.ts";
import { recoverPrevious, releaseNodes } from "./journal/recover.ts";
import { openJournal } from "./journal/journal.ts";
import { type Lanes, openLanes } from "./journal/lanes.ts";
import type { LedgerStore } from "./ledger.store.ts";
import { openChargeRing } from "./lost/charge-ring.ts";
import { openComeBack } from "./lost/come-back.ts";
import type { LossReport } from "./lost/report.ts";
import type { WriteRing } from "./lost/write-ring.ts";
import { aloneInEpoch, type Membership, openMembership } from "./membership.ts";
import { heartbeatMs } from "./nodes.ts";
import type { Batch } from "./operations.ts";
import { openReserveWithin, type ReserveWithin } from "./budgets/reserve-within.ts";
import { openSpendLimits } from "./budgets/spend-limits.ts";
import type { OperationQueue, SendAnswer } from "./queue.ts";

export type OpenLedger = {
  /** A random id of this process among those that share the database. */
  readonly nodeId: string;
  readonly holds: Holds;
  readonly queue: OperationQueue;
  /**
   * Whether the ledger can take calls: the store commits, and other nodes have no reason to take
   * this node for dead.
   */
  readonly ready: () => boolean;
  /** Holds quota for a call that may be over the budgets of its token or over root's limits. */
  readonly reserveWithin: ReserveWithin;
  /** Called when the database shows less than it has acknowledged. */
  readonly wentBack: () => void;
  readonly jobs: readonly Job[];
  readonly gauges: readonly Gauge[];
};

type LedgerDeps = {
  readonly dialect: Dialect;
  readonly store: LedgerStore;
  readonly dataDir: string;
  readonly log: Logger;
  /** When what is in the journal gets into the books. */
  readonly books: Books;
  /** What the last confirmed writes of this node have left in the database. */
  readonly writes: WriteRing;
  /** Reads the whole configuration again. */
  readonly reload: () => Promise<void>;
  /** Tells root what a database that went back has lost. Does not throw. */
  readonly tellLoss: (report: LossReport) => Promise<void>;
};

export async function openLedger(deps: LedgerDeps): Promise<OpenLedger> {
  const { dialect, store, dataDir, log, books } = deps;
  const nodeId = crypto.randomUUID();
  const previous = exchangeNodeId(dataDir, nodeId);
  // Nothing takes this process's SQLite database from under it.
  const ring = dialect === "sqlite" ? undefined : openChargeRing();
  const comeBack = openComeBack({
    ...deps,
    nodeId,
    membership: () => membership,
    charges: ring ?? openChargeRing(1),
    ownedIds: () => [...holds.openIds(), ...queue.pendingIds()],
    tell: deps.tellLoss,
    now: Date.now,
    wait: Bun.sleep,
  });
  const membership =
    dialect === "sqlite"
      ? await takeOver(deps, nodeId)
      : await joinOthers(deps, nodeId, {
          onBehind: comeBack.begin,
          onEpoch: () => queue.noteEpoch(holds.openIds()),
        });
  const isRecovered = openBooksOf(deps, nodeId, previous);
  const queue = openQueueOf(deps, nodeId, membership);
  const judge = openJudge();
  const policy = dialect === "sqlite" ? "whole" : "exact";
  const drift = openDriftWatch({ store, elapsed, log });
  const { isCurrent } = membership;
  let nodeCount = 1;
  const countJob: Job = {
    name: "count-nodes",
    everyMs: sweepMs,
    runs: "every-node",
    async run() {
      nodeCount = Math.max(1, await store.countNodes());
    },
  };
  const holds = openHolds({
    policy,
    judge,
    queue,
    isCurrent,
    now: Date.now,
    wait: Bun.sleep,
    payDebt: async (userId, most) => await store.payDebt(userId, most, Date.now()),
    ring,
  });
  if (policy === "whole") await grantEverything(store, judge, holds.noteDebt);
  return {
    nodeId,
    holds,
    queue,
    ready: () => isRecovered() && isCurrent() && !queue.failing(),
    reserveWithin: openReserveWithin(
      holds.reserve,
      openSpendLimits({ nodeCount: () => nodeCount, elapsed }),
      Date.now,
    ),
    wentBack: membership.fellBehind,
    jobs: [
      drift.job,
      { name: "count-refused", everyMs: recountMs, runs: "every-node", run: books.recount },
      ...(dialect === "sqlite" ? [] : [countJob]),
      ...(dialect === "sqlite" ? [] : jobsOf(deps, { nodeId, previous, membership })),
    ],
    gauges: [...gaugesOf(holds, queue), ...books.gauges, ...drift.gauges, ...comeBack.gauges],
  };
}

/** How often it is counted what could not be written into the books. */
const recountMs = 60_000;

const elapsed = (): number => performance.now();

/**
 * Opens the books for the records of this node.
 * @returns whether they have what the last process of this node has told its clients.
 */
function openBooksOf(
  { dialect, store, log, books }: LedgerDeps,
  nodeId: string,
  previous: string | null,
): () => boolean {
  // On SQLite it was done before the judge was granted anything.
  const recovered =
    dialect === "sqlite" || previous === null
      ? undefined
      : recoverPrevious({ store, log, elapsed, wait: Bun.sleep }, previous);
  let isRecovered = recovered === undefined;
  void recovered?.finally(() => (isRecovered = true));
  books.open({
    recovered,
    apply: async (upTo, apart) => await store.applyRecords(nodeId, upTo, apart),
    countRefused: store.countRefused,
    log,
  });
  return () => isRecovered;
}

function openQueueOf(
  { dialect, store, log, books }: LedgerDeps,
  nodeId: string,
  membership: Membership,
): Lanes {
  return openLanes({
    journal: openJournal({ store, books }),
    books,
    nodeId,
    epoch: membership.epoch,
    rejoin: membership.rejoin,
    apply: async (batch) => await send(store, batch),
    // Only SQLite delays operations to write fewer rows. On PostgreSQL calls wait until their
    // reservations are written.
    ...(dialect === "sqlite" ? { pace } : {}),
    elapsed,
    wait: Bun.sleep,
    onRefused: (operation, error) =>
      log.error({ operation: operation.type, err: error }, "the ledger refused an operation"),
    onStoreState: (failing, reason) =>
      failing
        ? log.error({ reason }, "the store does not commit; new calls are refused")
        : log.info("the store commits again"),
  });
}

/**
 * Takes over a SQLite database: the process that owned it before has ended, and its holds were only
 * in its memory.
 */
async function takeOver({ store, log }: LedgerDeps, nodeId: string): Promise<Membership> {
  const epoch = await store.joinNodes({ nodeId, epoch: 0 });
  const others = await store.endOtherEpochs(nodeId);
  const { ended } = await store.findLostNodes(nodeId);
  await releaseNodes({ store, log }, ended);
  await store.removeNodes(others, null);
  return aloneInEpoch(epoch);
}

async function joinOthers(
  { store, log }: LedgerDeps,
  nodeId: string,
  { onBehind, onEpoch }: { readonly onBehind: () => void; readonly onEpoch: () => void },
): Promise<Membership> {
  const noteClock = openClockWatch(log);
  return await openMembership({
    nodeId,
    async beat(node, seenMs) {
      const answer = await store.beat(node, seenMs);
      if (answer.kind === "acknowledged") noteClock(answer.atMs - Date.now());
      return answer;
    },
    join: store.rejoinNodes,
    lineage: store.readLineage,
    elapsed,
    onBehind,
    onEpoch,
    onRejoined: () =>
      log.error(
        "another node thought this one dead; calls that it ended are not charged, the others go on",
      ),
  });
}

/**
 * A larger difference between this node's clock and the database's is logged. Money does not depend
 * on the clocks.
 */
const clockMaxMs = 2_000;

/**
 * Returns a function that takes the difference between this node's clock and the database's, and
 * logs once when it becomes too large.
 */
function openClockWatch(log: Logger): (differenceMs: number) => void {
  let isOff = false;
  return (differenceMs) => {
    const before = isOff;
    isOff = Math.abs(differenceMs) > clockMaxMs;
    if (isOff && !before) {
      log.warn({ differenceMs }, "this node's clock differs from the database's; set it by NTP");
    }
  };
}

/** The interval at which a node looks for dead nodes and releases their holds. */
const sweepMs = 2_000;

/**
 * In how many of its first runs the sweep, which looks for dead nodes, also ends the epoch of the
 * process that used this data directory before. Later that node has been silent for so long that it
 * is found like any other dead node.
 */
const goneTriesMax = 5;

type Node = {
  readonly nodeId: string;
  /**
   * The id of the process that used this data directory before. That process has ended, because
   * this one now has the lock of the directory. Null: there was none.
   */
  readonly previous: string | null;
  readonly membership: Membership;
};

function jobsOf({ store, log }: LedgerDeps, { nodeId, previous, membership }: Node): Job[] {
  let gone = previous === null ? [] : [previous];
  let tries = 0;

  async function sweep(): Promise<void> {
    tries += 1;
    const ended = await store.endEpochs(gone, null);
    const { silent } = await store.findLostNodes(nodeId);
    await store.endEpochs(silent, nodeId);
    await releaseNodes({ store, log }, (await store.findLostNodes(nodeId)).ended);
    await store.removeNodes(gone, null);
    await store.removeNodes(silent, nodeId);
    if (ended.length > 0 || tries > goneTriesMax) gone = [];
  }

  // The start does not wait for the first sweep, because the last transaction of a killed process
  // may stay open for a while.
  sweep().catch(() => {});
  return [
    { name: "heartbeat", everyMs: heartbeatMs, runs: "every-node", run: membership.beat },
    { name: "release-lost-nodes", everyMs: sweepMs, runs: "every-node", run: sweep },
  ];
}

function gaugesOf(holds: Holds, queue: OperationQueue): Gauge[] {
  return [
    { name: "tollgate_holds_open", help: "Reservations that are open.", read: holds.openCount },
    {
      name: "tollgate_written_off_withheld_units",
      help: "Quota units given back because the store did not commit in time, since the start.",
      read: holds.reversedUnits,
    },
    { name: "tollgate_ledger_queue", help: "Operations that wait.", read: queue.length },
    {
      name: "tollgate_ledger_lag_seconds",
      help: "Age of the batch in flight.",
      read: () => queue.lagMs() / 1_000,
    },
  ];
}

/**
 * The pace of the queue on SQLite. `youngMs`: a call in its first milliseconds has no row yet, so
 * if the process crashes then, the call is not logged as interrupted. The user was not charged for
 * it.
 */
const pace = { youngMs: 5, gatherMs: 2 };

async function send(store: LedgerStore, batch: Batch): Promise<SendAnswer> {
  try {
    const answer = await store.applyBatchText(encodeBatch(batch));
    return answer === "fenced" ? { kind: "fenced" } : { kind: "committed", results: answer };
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "store-failed", reason: error.reason };
    throw error;
  }
}

async function grantEverything(
  store: LedgerStore,
  judge: ReturnType<typeof openJudge>,
  noteDebt: Holds["noteDebt"],
): Promise<void> {
  for (const { user_id, balance, debt } of await store.listBalances()) {
    judge.grant(`user:${user_id}`, balance);
    noteDebt(user_id, debt);
  }
  for (const { token_id, remain } of await store.listTokenBalances()) {
    judge.grant(`token:${token_id}`, remain);
  }
}

/**
 * Stores this process in the file `node-id` as the user of the data directory.
 * @returns the id of the process that used it before.
 */
function exchangeNodeId(dataDir: string, nodeId: string): string | null {
  const file = join(dataDir, "node-id");
  mkdirSync(dataDir, { recursive: true });
  let previous: string | null = null;
  try {
    previous = readFileSync(file, "utf8").trim();
  } catch {
    // This is the first start in this data directory, so no process used it before.
  }
  writeFileSync(file, `${nodeId}\n`);
  return previous === "" ? null : previous;
}
