/**
 * The queue of operations that are sent to the database. It sends one batch at a time, in order,
 * and collects the next one meanwhile. As long as it is unknown whether a batch was committed, the
 * batch is sent again.
 */

import { type Batch, idOf, type Operation, type OperationResult } from "./operations.ts";

/**
 * The outcome of sending a batch. If `send` throws instead, the database refused an operation of
 * the batch, which is a bug.
 */
export type SendAnswer =
  | { readonly kind: "committed"; readonly results: readonly OperationResult[] }
  /** The database did nothing: another node took this node for dead and has ended its epoch. */
  | { readonly kind: "fenced" }
  /** The store could not commit at the moment, or it is unknown whether it did. */
  | { readonly kind: "store-failed"; readonly reason: string };

export type QueuePace = {
  /**
   * How long a new reservation waits before its row is sent, in milliseconds. A call that ends
   * sooner needs no row, because its settlement contains everything: this saves a row for each
   * short call.
   */
  readonly youngMs: number;
  /**
   * While batches are large, the shortest time between the starts of two batches, in milliseconds.
   * More operations then share the cost of a commit; the wait is too short to be noticed.
   */
  readonly gatherMs: number;
};

export type QueueDeps = {
  readonly nodeId: string;
  /** The node's current epoch. */
  readonly epoch: () => number;
  /**
   * Begins a new epoch after the epoch `ended`. Does nothing if a newer one has begun already. Does
   * not throw.
   */
  readonly rejoin: (ended: number) => Promise<void>;
  readonly send: (batch: Batch) => Promise<SendAnswer>;
  /** Delays operations that are not urgent; absent: none is delayed. */
  readonly pace?: QueuePace;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /**
   * Called with an operation that the database refuses permanently, which is a bug. The queue goes
   * on without it.
   */
  readonly onRefused: (operation: Operation, error: unknown) => void;
  readonly onStoreState: (failing: boolean, reason: string) => void;
};

export type OperationQueue = {
  push(operation: Operation): Promise<OperationResult>;
  /** Does what `push` does, for an operation whose result nobody waits for. */
  post(operation: Operation): void;
  /** Whether the store does not commit at present, so that new calls must not start. */
  failing(): boolean;
  /** Milliseconds since the batch in flight was sent; 0: there is none. */
  lagMs(): number;
  length(): number;
  /** Returns the request ids of the calls of all operations that are not committed. */
  pendingIds(): readonly string[];
  /** Resolves when all operations pushed so far are committed. */
  drained(): Promise<void>;
};

/** One queue of those that `lanes.ts` makes an `OperationQueue` of. */
export type Lane = OperationQueue & {
  /**
   * Resolves when everything is committed that is on its way now; undefined: it is. Reservations
   * whose rows wait for their time are not on their way.
   */
  passed(): Promise<void> | undefined;
  /** Forgets the reservation of a call if its row waits for its time. */
  forget(id: string): void;
};

/**
 * The largest number of operations in a batch. Larger batches are not faster, and every operation
 * in them waits longer.
 */
const batchMax = 200;

/** If a batch takes longer than this, the queue assumes that the store does not commit. */
const lateMs = 1_000;

/**
 * The number of operations from which a batch counts as large. With twice as many waiting, the next
 * batch is sent without a pause.
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

const ignore = (): void => {};

export function openQueue(deps: QueueDeps): Lane {
  const sender = openSender(deps);
  const { youngMs, gatherMs } = deps.pace ?? { youngMs: 0, gatherMs: 0 };
  const stock = openStock(deps.elapsed, youngMs);
  let sending: readonly Waiting[] = [];
  let running = false;
  /** Whether a check is scheduled for reservations whose rows become due. */
  let watching = false;
  const drainers: (() => void)[] = [];

  function push(operation: Operation): Promise<OperationResult> {
    const { promise, resolve, reject } = Promise.withResolvers<OperationResult>();
    enqueue({ operation, resolve, reject });
    return promise;
  }

  function enqueue(one: Waiting): void {
    stock.keep(one);
    if (!running) void run();
  }

  async function watch(): Promise<void> {
    if (watching) return;
    watching = true;
    await deps.wait(youngMs);
    watching = false;
    stock.joinGrown();
    if (!running) await run();
  }

  async function run(): Promise<void> {
    running = true;
    while (stock.count() > 0) {
      stock.joinGrown();
      const batch = stock.take();
      sending = batch;
      const sentMs = deps.elapsed();
      // `sendBatch` must not throw, because its operations would be lost: it catches all errors
      // itself.
      await sender.sendBatch(batch);
      sending = [];
      stock.left(batch.length);
      const restMs = gatherMs - (deps.elapsed() - sentMs);
      const isBusy = batch.length >= busySize && stock.count() < busySize * 2;
      if (isBusy && restMs > 0) await deps.wait(restMs);
    }
    running = false;
    if (stock.youngCount() > 0) void watch();
    else for (const drained of drainers.splice(0)) drained();
  }

  return {
    push,
    post: (operation) => enqueue({ operation, resolve: ignore, reject: ignore }),
    failing: () => sender.isBroken() || sender.lagMs() > lateMs,
    lagMs: sender.lagMs,
    length: () => stock.count() + stock.youngCount(),
    pendingIds: () => [...sending, ...stock.list()].map(({ operation }) => idOf(operation)),
    drained: async () =>
      await new Promise((resolve) => {
        drainers.push(resolve);
        if (running) return;
        void run();
      }),
    passed: stock.passed,
    forget: stock.forget,
  };
}

/** What waits to be sent, and the reservations whose rows wait for their time. */
function openStock(elapsed: () => number, youngMs: number) {
  const opens = openYoungOpens(elapsed, youngMs);
  const line = openLine();
  let waiting: Waiting[] = [];

  return {
    left: line.left,
    passed: line.passed,
    count: () => waiting.length,
    youngCount: opens.count,
    list: (): readonly Waiting[] => waiting,
    forget: (id: string) => void opens.drop(id),
    keep(one: Waiting) {
      const { operation } = one;
      if (operation.type === "open" && youngMs > 0) {
        opens.add(operation.facts.id, one);
        return;
      }
      const wasYoung =
        (operation.type === "release" || operation.type === "settle") && opens.drop(operation.id);
      if (wasYoung && operation.type === "release") {
        one.resolve(done);
        return;
      }
      waiting.push(one);
      line.joined(1);
    },
    joinGrown() {
      const grown = opens.takeGrown();
      waiting.push(...grown);
      line.joined(grown.length);
    },
    /** Takes the oldest, as many as one batch may have. */
    take(): readonly Waiting[] {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      return batch;
    },
  };
}

/** Counts what is put in line and what is dealt with, in the same order. */
function openLine() {
  let joined = 0;
  let left = 0;
  let waiters: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    joined: (count: number) => void (joined += count),
    left(count: number) {
      left += count;
      if (waiters.length === 0) return;
      const ready = waiters.filter(({ at }) => at <= left);
      waiters = waiters.filter(({ at }) => at > left);
      for (const { resolve } of ready) resolve();
    },
    /** Resolves when everything is dealt with that is in line now; undefined: nothing is. */
    passed(): Promise<void> | undefined {
      const at = joined;
      return left >= at ? undefined : new Promise((resolve) => void waiters.push({ at, resolve }));
    },
  };
}

const done: OperationResult = { type: "done" };

/**
 * Reservations whose rows are not sent yet. Most calls end before their row is due: then no row is
 * written, because the settlement contains everything. For longer calls the row is sent, so that
 * the next process can find them if this one dies.
 */
function openYoungOpens(elapsed: () => number, youngMs: number) {
  // A map keeps the order in which reservations were added, so the oldest is first.
  const young = new Map<string, { readonly one: Waiting; readonly sinceMs: number }>();

  /**
   * Forgets a reservation whose row was not sent yet. True: there was one, so the database knows
   * nothing of it.
   */
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

/** Sends one batch at a time and settles the promises of its operations. */
function openSender(deps: QueueDeps) {
  let broken = false;
  let sentAt = 0;

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    sentAt = deps.elapsed();
    try {
      answerAll(batch, await sendUntilKnown(batch, false));
    } catch (error) {
      // That the database refused an operation shows that it answers again. As long as the queue
      // counts as broken, no new operation would be sent that could show it.
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
   * Sends the operations of a refused batch one by one, so that all but the faulty one are applied.
   * If the batch was sent before, they may have been committed already.
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
