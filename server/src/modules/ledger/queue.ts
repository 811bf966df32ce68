/**
 * Operations on their way to the database, in order: one batch at a time, the next one gathered
 * meanwhile. A batch whose fate is unknown is sent again until it is known.
 */

import type { Batch, Operation, OperationResult } from "./operations.ts";

/** What came of sending a batch. Any throw of `send` counts as a bug in one of its operations. */
export type SendAnswer =
  | { readonly kind: "committed"; readonly results: readonly OperationResult[] }
  /** Nothing was done: another node thinks this one dead and has ended its epoch. */
  | { readonly kind: "fenced" }
  /** The store could not do it just now, or nobody knows whether it did. */
  | { readonly kind: "store-failed"; readonly reason: string };

export type QueuePace = {
  /**
   * Milliseconds after which a reservation's row is sent. One that ends sooner leaves none, its
   * end says it all: so calls that are over at once cost one row less.
   */
  readonly youngMs: number;
  /**
   * While many end in one batch, batches begin at least so many milliseconds apart: what a commit
   * costs is then shared by more, and nobody waits noticeably longer.
   */
  readonly gatherMs: number;
};

type QueueDeps = {
  readonly nodeId: string;
  /** The node's epoch now. */
  readonly epoch: () => number;
  /** Begins a new epoch if `ended` is still the node's. Does not throw. */
  readonly rejoin: (ended: number) => Promise<void>;
  readonly send: (batch: Batch) => Promise<SendAnswer>;
  /** How long what need not be sent at once is kept back; absent: nothing is. */
  readonly pace?: QueuePace;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** A single operation that the database refuses for good: a bug, told and left out. */
  readonly onRefused: (operation: Operation, error: unknown) => void;
  readonly onStoreState: (failing: boolean, reason: string) => void;
};

export type OperationQueue = {
  push(operation: Operation): Promise<OperationResult>;
  /** True while the store does not commit: new calls must not start. */
  failing(): boolean;
  /** Milliseconds since the oldest operation in flight was sent; 0: none. */
  lagMs(): number;
  length(): number;
  /** Resolves when everything pushed so far is committed. */
  drained(): Promise<void>;
};

/** Operations a batch takes. Larger ones gain nothing and make every member wait. */
const batchMax = 200;

/** A batch that takes longer than this counts as a store that does not commit. */
const lateMs = 1_000;

/** Operations of a batch that count as many. With twice as many waiting, the next one goes out. */
const busySize = 8;

/** Pause before a failed batch is sent again. */
const retryMs = 200;

const fencedReason = "another node thought this one dead";

type Waiting = {
  readonly operation: Operation;
  readonly resolve: (result: OperationResult) => void;
  readonly reject: (error: unknown) => void;
};

export function openQueue(deps: QueueDeps): OperationQueue {
  const sender = openSender(deps);
  const { youngMs, gatherMs } = deps.pace ?? { youngMs: 0, gatherMs: 0 };
  const opens = openYoungOpens(deps.elapsed, youngMs);
  let waiting: Waiting[] = [];
  let running = false;
  /** Somebody is going to look at the young ones. */
  let watching = false;
  const drainers: (() => void)[] = [];

  function push(operation: Operation): Promise<OperationResult> {
    return new Promise((resolve, reject) => {
      enqueue({ operation, resolve, reject });
      if (!running) void run();
    });
  }

  function enqueue(one: Waiting): void {
    const { operation } = one;
    if (operation.type === "open" && youngMs > 0) {
      opens.add(operation.facts.id, one);
      return;
    }
    const wasYoung =
      (operation.type === "release" || operation.type === "settle") && opens.drop(operation.id);
    if (wasYoung && operation.type === "release") one.resolve(done);
    else waiting.push(one);
  }

  async function watch(): Promise<void> {
    if (watching) return;
    watching = true;
    await deps.wait(youngMs);
    watching = false;
    waiting.push(...opens.takeGrown());
    if (running) return;
    await run();
  }

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      waiting.push(...opens.takeGrown());
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      const sentMs = deps.elapsed();
      // A throw here would lose the batch; `sendBatch` has none, being the last to catch.
      await sender.sendBatch(batch);
      const restMs = gatherMs - (deps.elapsed() - sentMs);
      const isBusy = batch.length >= busySize && waiting.length < busySize * 2;
      if (isBusy && restMs > 0) await deps.wait(restMs);
    }
    running = false;
    if (opens.count() > 0) void watch();
    else for (const drained of drainers.splice(0)) drained();
  }

  return {
    push,
    failing: () => sender.isBroken() || sender.lagMs() > lateMs,
    lagMs: sender.lagMs,
    length: () => waiting.length + opens.count(),
    drained: async () =>
      await new Promise((resolve) => {
        drainers.push(resolve);
        if (running) return;
        void run();
      }),
  };
}

const done: OperationResult = { type: "done" };

/**
 * Reservations whose rows are not written yet. Most calls that are over at once end before theirs
 * would be, and then it is not: the end says all there is to say. Whoever is served longer is on
 * the ledger, where the next process finds it if this one dies.
 */
function openYoungOpens(elapsed: () => number, youngMs: number) {
  // Oldest first, as they were added.
  const young = new Map<string, { readonly one: Waiting; readonly sinceMs: number }>();

  /** True: it was young, and nothing is known of it. */
  function drop(id: string): boolean {
    const found = young.get(id);
    if (found === undefined) return false;
    young.delete(id);
    found.one.resolve(done);
    return true;
  }

  function takeGrown(): Waiting[] {
    const grown: Waiting[] = [];
    const bornMs = elapsed() - youngMs;
    for (const [id, { one, sinceMs }] of young) {
      if (sinceMs > bornMs) break;
      young.delete(id);
      grown.push(one);
    }
    return grown;
  }

  return {
    add: (id: string, one: Waiting) => void young.set(id, { one, sinceMs: elapsed() }),
    drop,
    takeGrown,
    count: () => young.size,
  };
}

/** Sends one batch at a time and answers everybody in it. */
function openSender(deps: QueueDeps) {
  let broken = false;
  let sentAt = 0;

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    sentAt = deps.elapsed();
    try {
      answerAll(batch, await sendUntilKnown(batch, false));
    } catch (error) {
      // Who refuses is there: left broken, nothing would be sent that shows it.
      setBroken(false, "");
      await sendOneByOne(batch, error);
    } finally {
      sentAt = 0;
    }
  }

  async function sendUntilKnown(
    batch: readonly Waiting[],
    sentBefore: boolean,
  ): Promise<readonly OperationResult[]> {
    const operations = batch.map(({ operation }) => operation);
    for (let again = sentBefore; ; again = true) {
      const epoch = deps.epoch();
      const answer = await deps.send({ nodeId: deps.nodeId, epoch, again, operations });
      if (answer.kind === "committed") {
        setBroken(false, "");
        return answer.results;
      }
      setBroken(true, answer.kind === "fenced" ? fencedReason : answer.reason);
      if (answer.kind === "fenced") await deps.rejoin(epoch);
      await deps.wait(retryMs);
    }
  }

  /**
   * One operation of the batch is at fault; the others must not suffer from it. They may have been
   * committed before, in a batch whose answer was lost.
   */
  async function sendOneByOne(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      deps.onRefused(only.operation, error);
      only.reject(error);
      return;
    }
    for (const one of batch) {
      sentAt = deps.elapsed();
      try {
        answerAll([one], await sendUntilKnown([one], true));
      } catch (fault) {
        setBroken(false, "");
        deps.onRefused(one.operation, fault);
        one.reject(fault);
      }
    }
  }

  function setBroken(now: boolean, reason: string): void {
    if (now !== broken) deps.onStoreState(now, reason);
    broken = now;
  }

  return {
    sendBatch,
    isBroken: () => broken,
    lagMs: () => (sentAt === 0 ? 0 : deps.elapsed() - sentAt),
  };
}

function answerAll(batch: readonly Waiting[], results: readonly OperationResult[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index];
    if (result === undefined) reject(new Error("the writer gave fewer results than operations"));
    else resolve(result);
  }
}
