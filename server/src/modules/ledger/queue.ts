/**
 * Operations on their way to the database, in order: one batch at a time, the next one gathered
 * meanwhile. A batch whose fate is unknown is sent again until it is known.
 */

import type { Batch, Operation, OperationResult } from "./operations.ts";

/** What came of sending a batch. Any throw of `send` counts as a bug in one of its operations. */
export type SendAnswer =
  | { readonly kind: "committed"; readonly results: readonly OperationResult[] }
  /** The store could not do it just now, or nobody knows whether it did. */
  | { readonly kind: "store-failed"; readonly reason: string };

export type QueueDeps = {
  readonly nodeId: string;
  readonly send: (batch: Batch) => Promise<SendAnswer>;
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

/** Pause before a failed batch is sent again. */
const retryMs = 200;

type Waiting = {
  readonly operation: Operation;
  readonly resolve: (result: OperationResult) => void;
  readonly reject: (error: unknown) => void;
};

export function openQueue(deps: QueueDeps): OperationQueue {
  const sender = openSender(deps);
  let waiting: Waiting[] = [];
  let running = false;
  let idle = Promise.withResolvers<void>();
  idle.resolve();

  function push(operation: Operation): Promise<OperationResult> {
    return new Promise((resolve, reject) => {
      waiting.push({ operation, resolve, reject });
      if (!running) void run();
    });
  }

  async function run(): Promise<void> {
    running = true;
    idle = Promise.withResolvers<void>();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      // A throw here would lose the batch; `sendBatch` has none, being the last to catch.
      await sender.sendBatch(batch);
    }
    running = false;
    idle.resolve();
  }

  return {
    push,
    failing: () => sender.isBroken() || sender.lagMs() > lateMs,
    lagMs: sender.lagMs,
    length: () => waiting.length,
    drained: () => idle.promise,
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
      const answer = await deps.send({ nodeId: deps.nodeId, again, operations });
      if (answer.kind === "committed") {
        setBroken(false, "");
        return answer.results;
      }
      setBroken(true, answer.reason);
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
