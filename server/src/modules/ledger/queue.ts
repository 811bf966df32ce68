/**
 * The queue of operations on their way to the database. It sends one batch at a time, in order, and
 * collects the next one meanwhile. While it is unknown whether a batch was committed, the batch is
 * sent again.
 */

import type { Batch, Operation, OperationResult } from "./operations.ts";

/**
 * The outcome of sending a batch. An exception of `send` counts as a bug in one of its operations.
 */
export type SendAnswer =
  | { readonly kind: "committed"; readonly results: readonly OperationResult[] }
  /** Nothing was done: another node took this one for dead and has ended its epoch. */
  | { readonly kind: "fenced" }
  /** The store could not commit at the moment, or it is unknown whether it did. */
  | { readonly kind: "store-failed"; readonly reason: string };

export type QueuePace = {
  /**
   * Milliseconds after which a reservation's row is sent. A call that ends sooner gets no row,
   * because its end contains everything: short calls cost one row less.
   */
  readonly youngMs: number;
  /**
   * While batches are large, they begin at least so many milliseconds apart. More operations then
   * share the cost of a commit, and the wait is not noticeable.
   */
  readonly gatherMs: number;
};

type QueueDeps = {
  readonly nodeId: string;
  /** The node's current epoch. */
  readonly epoch: () => number;
  /** Begins a new epoch, unless `ended` is no longer the node's epoch. Does not throw. */
  readonly rejoin: (ended: number) => Promise<void>;
  readonly send: (batch: Batch) => Promise<SendAnswer>;
  /** Delays operations that are not urgent; absent: none is delayed. */
  readonly pace?: QueuePace;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /**
   * Called with an operation that the database refuses permanently, which is a bug. It is left out.
   */
  readonly onRefused: (operation: Operation, error: unknown) => void;
  readonly onStoreState: (failing: boolean, reason: string) => void;
};

export type OperationQueue = {
  push(operation: Operation): Promise<OperationResult>;
  /** True while the store does not commit: new calls must not start. */
  failing(): boolean;
  /** Milliseconds since the batch in flight was sent; 0: there is none. */
  lagMs(): number;
  length(): number;
  /** Resolves when everything pushed so far is committed. */
  drained(): Promise<void>;
};

/** Operations a batch takes. Larger ones gain nothing and make every member wait. */
const batchMax = 200;

/** A batch that takes longer than this means that the store does not commit. */
const lateMs = 1_000;

/**
 * Size from which a batch counts as large. With twice as many operations waiting, the next batch
 * goes out at once.
 */
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
  /** A check of the young reservations is scheduled. */
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
      // An exception here would lose the batch; `sendBatch` catches all of them.
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
 * Reservations whose rows are not sent yet. Most short calls end before that, and then no row is
 * written, because the settlement contains everything. Longer calls get a row, by which the next
 * process finds them if this one dies.
 */
function openYoungOpens(elapsed: () => number, youngMs: number) {
  // Oldest first, as they were added.
  const young = new Map<string, { readonly one: Waiting; readonly sinceMs: number }>();

  /** True: the row was never sent, so the database knows nothing of it. */
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

/** Sends one batch at a time and answers its callers. */
function openSender(deps: QueueDeps) {
  let broken = false;
  let sentAt = 0;

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    sentAt = deps.elapsed();
    try {
      answerAll(batch, await sendUntilKnown(batch, false));
    } catch (error) {
      // The store has answered, so it is back. In the broken state nothing would be sent to find
      // that out.
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
   * One operation of the batch is at fault, and the others must still be applied. They may have
   * been committed already, by a first sending whose answer was lost.
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
