/**
 * The queue of operations that are sent to the database. It sends one batch at a time, in order,
 * and collects the next one meanwhile. As long as it is unknown whether a batch was committed, the
 * batch is sent again.
 */

import { done, openYoungOpens, type Waiting } from "./journal/young-opens.ts";
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
   * How long a new reservation waits before its row is sent with other operations, in milliseconds.
   * A call that ends sooner needs no row, because its settlement contains everything: this saves a
   * row for each short call.
   */
  readonly youngMs: number;
  /** How long it waits at most for others to be sent with, so that it needs no commit of its own. */
  readonly aloneMs: number;
  /**
   * While batches are large, the shortest time between the starts of two batches, in milliseconds.
   * More operations then share the cost of a commit; the wait is too short to be noticed.
   */
  readonly gatherMs: number;
  /**
   * How long some operations may wait to share their commit with others, in milliseconds, while
   * many calls run. Whatever else comes in the meantime is sent at once, and takes them along.
   */
  readonly shareMs: number;
  /** How many calls must run for it. */
  readonly shareFrom: number;
  /**
   * What waits: the ends of streams, which last so much longer that nobody notices, the ends of all
   * calls, or reservations that the database grants.
   */
  readonly shares: "ends" | "stream-ends" | "takes";
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
  /** The number of calls that run; absent: it is not known, and nothing waits for it. */
  readonly running?: () => number;
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
  /**
   * Waits a moment until the books have the calls that have ended, whose holds count until then.
   * False: they had them before, or have them not in time. Absent: there are no books.
   */
  caughtUp?(): Promise<boolean>;
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

const ignore = (): void => {};

export const noPace: QueuePace = {
  youngMs: 0,
  aloneMs: 0,
  gatherMs: 0,
  shareMs: 0,
  shareFrom: 0,
  shares: "stream-ends",
};

export function openQueue(deps: QueueDeps): Lane {
  const sender = openSender(deps);
  const pace = deps.pace ?? noPace;
  const { gatherMs } = pace;
  const stock = openStock(deps.elapsed, pace);
  let sending: readonly Waiting[] = [];
  let running = false;
  /** Whether a check is scheduled for reservations whose rows become due. */
  let watching = false;
  const drainers: (() => void)[] = [];
  const sharing = openSharing(deps, pace);

  function push(operation: Operation): Promise<OperationResult> {
    const { promise, resolve, reject } = Promise.withResolvers<OperationResult>();
    enqueue({ operation, resolve, reject });
    return promise;
  }

  function enqueue(one: Waiting): void {
    stock.keep(one);
    if (!running) void run();
    else if (!stock.canShare()) sharing.end();
  }

  async function watch(): Promise<void> {
    if (watching) return;
    watching = true;
    // What has become the oldest meanwhile has waited for less.
    for (let ms = stock.youngMs(); ms > 0; ms = stock.youngMs()) await deps.wait(ms);
    watching = false;
    stock.joinGrown();
    if (!running) await run();
  }

  async function run(): Promise<void> {
    running = true;
    while (stock.count() > 0) {
      const shared = stock.canShare() ? sharing.begin() : undefined;
      if (shared !== undefined) await shared;
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
        sharing.end();
        if (running) return;
        void run();
      }),
    passed() {
      sharing.end();
      return stock.passed();
    },
    forget: stock.forget,
  };
}

/** Lets ends of calls wait a moment, while other calls run that may end soon. */
function openSharing(
  { running, wait }: Pick<QueueDeps, "running" | "wait">,
  { shareFrom, shareMs }: QueuePace,
) {
  let over: (() => void) | null = null;
  return {
    /** @returns undefined: there is nothing to wait for. */
    begin(): Promise<void> | undefined {
      const runs = running?.() ?? 0;
      if (shareMs === 0 || runs < shareFrom) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      over = resolve;
      void wait(shareMs).then(resolve);
      return promise;
    },
    end(): void {
      over?.();
      over = null;
    },
  };
}

/** What waits to be sent, and the reservations whose rows wait for their time. */
function openStock(elapsed: () => number, { aloneMs, shares, youngMs }: QueuePace) {
  const opens = openYoungOpens(elapsed, youngMs, aloneMs);
  const line = openLine();
  const canWait = mayWait[shares];
  let waiting: Waiting[] = [];

  return {
    left: line.left,
    passed: line.passed,
    count: () => waiting.length,
    youngCount: opens.count,
    youngMs: opens.restMs,
    list: (): readonly Waiting[] => waiting,
    canShare: (): boolean => waiting.every(canWait),
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

/** Whether an operation may wait for others. */
const mayWait: Readonly<Record<QueuePace["shares"], (one: Waiting) => boolean>> = {
  ends: ({ operation }) => operation.type === "settle",
  "stream-ends": ({ operation }) => operation.type === "settle" && operation.log.isStream,
  takes: ({ operation }) => operation.type === "take",
};

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
