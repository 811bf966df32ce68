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
import { type DatabaseTime, openDatabaseTime } from "./database-time.ts";
import { openDriftWatch } from "./drift/drift-watch.ts";
import { type Holds, openHolds } from "./holds.ts";
import { openJudge } from "./judge.ts";
import type { Books } from "./journal/books.ts";
import { recoverPrevious, releaseNodes } from "./journal/recover.ts";
import { openJournal } from "./journal/journal.ts";
import { type Lanes, openLanes } from "./journal/lanes.ts";
import { pacesOf } from "./journal/paces.ts";
import type { LedgerStore } from "./ledger.store.ts";
import { openChargeRing } from "./lost/charge-ring.ts";
import { openComeBack } from "./lost/come-back.ts";
import type { LossReport } from "./lost/report.ts";
import { openSchemaCheck } from "./lost/schema-keys.ts";
import type { WriteRing } from "./lost/write-ring.ts";
import { aloneInEpoch, type Membership, openMembership } from "./membership.ts";
import { aloneNodes, openNodeCount } from "./node-count.ts";
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
  /** The number of nodes that share the database and are not shutting down, at least 1. */
  readonly nodeCount: () => number;
  /** Tells the other nodes that this one is shutting down. Does not throw. */
  readonly noteDraining: () => Promise<void>;
  readonly jobs: readonly Job[];
  readonly gauges: readonly Gauge[];
  /** Unix milliseconds by the clock that all nodes share. */
  readonly now: () => number;
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
  /** Tells root that the books have refused what so many calls were told to cost. Does not throw. */
  readonly tellRefused: (count: number) => Promise<void>;
};

export async function openLedger(deps: LedgerDeps): Promise<OpenLedger> {
  const { dialect, store, dataDir, log, books } = deps;
  const nodeId = crypto.randomUUID();
  const time = openDatabaseTime(elapsed, Date.now);
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
    now: time.now,
    wait: Bun.sleep,
  });
  const membership =
    dialect === "sqlite"
      ? await takeOver(deps, nodeId)
      : await joinOthers(deps, nodeId, {
          time,
          onBehind: comeBack.begin,
          onEpoch: () => queue.noteEpoch(holds.openIds()),
        });
  const isRecovered = openBooksOf(deps, nodeId, previous);
  const judge = openJudge();
  const queue = openQueueOf(deps, nodeId, membership, judge.openCount);
  const policy = dialect === "sqlite" ? "whole" : "exact";
  const drift = openDriftWatch({ store, elapsed, log });
  const { isCurrent } = membership;
  const nodes = dialect === "sqlite" ? aloneNodes : await openNodeCount(store, nodeId);
  const holds = openHolds({
    policy,
    judge,
    queue,
    isCurrent,
    now: time.now,
    wait: Bun.sleep,
    payDebt: async (userId, most) => await store.payDebt(userId, most, time.now()),
    ring,
  });
  if (policy === "whole") await grantEverything(store, judge, holds.noteDebt);
  return {
    nodeId,
    holds,
    queue,
    now: time.now,
    ready: () => isRecovered() && isCurrent() && !queue.failing(),
    reserveWithin: openReserveWithin(
      holds.reserve,
      openSpendLimits({ nodeCount: nodes.count, elapsed }),
      time.now,
    ),
    wentBack: membership.fellBehind,
    nodeCount: nodes.count,
    noteDraining: nodes.noteDraining,
    jobs: [
      drift.job,
      { name: "count-refused", everyMs: recountMs, runs: "every-node", run: books.recount },
      ...nodes.jobs,
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
  { dialect, store, log, books, tellRefused }: LedgerDeps,
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
    tellRefused,
    log,
  });
  return () => isRecovered;
}

function openQueueOf(
  { dialect, store, log, books }: LedgerDeps,
  nodeId: string,
  membership: Membership,
  running: () => number,
): Lanes {
  return openLanes({
    journal: openJournal({ store, books }),
    books,
    nodeId,
    epoch: membership.epoch,
    rejoin: membership.rejoin,
    apply: async (batch) => await send(store, batch),
    ...pacesOf[dialect],
    running,
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

type Joining = {
  readonly time: DatabaseTime;
  readonly onBehind: () => void;
  readonly onEpoch: () => void;
};

async function joinOthers(
  { store, log }: LedgerDeps,
  nodeId: string,
  { time, onBehind, onEpoch }: Joining,
): Promise<Membership> {
  const noteClock = openClockWatch(log);
  const requireKeys = openSchemaCheck(store.readSchemaKeys);
  return await openMembership({
    nodeId,
    async beat(node, seenMs) {
      const fromMs = elapsed();
      const answer = await store.beat(node, seenMs);
      if (answer.kind !== "acknowledged") return answer;
      time.note(answer.atMs, { fromMs, untilMs: elapsed() });
      noteClock(answer.atMs - Date.now());
      return answer;
    },
    async join(node, seenMs) {
      await requireKeys();
      const fromMs = elapsed();
      const joined = await store.rejoinNodes(node, seenMs);
      time.note(joined.atMs, { fromMs, untilMs: elapsed() });
      return joined;
    },
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
  for (let after = 0; ;) {
    const page = await store.listBalances(after);
    for (const { user_id, balance, debt } of page) {
      judge.grant(`user:${user_id}`, balance);
      noteDebt(user_id, debt);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.user_id;
  }
  for (let after = 0; ;) {
    const page = await store.listTokenBalances(after);
    for (const { token_id, remain } of page) judge.grant(`token:${token_id}`, remain);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.token_id;
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
