/**
 * A process's connection to the store, with everything that can happen on it: transactions that
 * are slow, fail, hang, throw, or commit without anybody hearing of it.
 */

import type { Batch, OperationResult } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import type { World } from "./world.ts";

export type Link = {
  send(batch: Batch): Promise<SendAnswer>;
  /** One transaction beside the queue, in turn with it. Rejects when it failed. */
  write<Result>(apply: () => Result): Promise<Result>;
  /** The store does not commit this process's batches: no call may start. */
  isTroubled(): boolean;
  /** When it last was, in simulated milliseconds. */
  troubledAt(): number;
  /** The process died. What was being committed may yet be. */
  cut(): void;
};

/** As in `queue.ts`: limits its batches must keep. */
const batchMax = 200;
const lateMs = 1_000;

/** Two batches of this length, one after the other, and a call has waited for a second. */
const slowMs = 400;

type Fate<Result> =
  | { readonly kind: "committed"; readonly result: Result }
  | { readonly kind: "store-failed" }
  | { readonly kind: "threw"; readonly error: unknown };

/** What the network and the disk do to transactions of this kind. */
type Risk = { readonly lose: number; readonly throwBefore: number; readonly throwAfter: number };

type Pending = { run: () => void };

/** Thrown by the store for no reason of the operations. */
export class StoreBroke extends Error {
  override readonly name = "StoreBroke";
}

export function openLink(world: World): Link {
  const { random, schedule, plan, weather, store } = world;
  const pending: Pending[] = [];
  let isCut = false;
  let busyUntil = 0;
  let batchSince = 0;
  let batchFailed = false;
  let troubledAt = 0;

  /** Transactions of one connection follow one another. */
  function transact<Result>(apply: () => Result, risk: Risk): Promise<Fate<Result>> {
    return new Promise((resolve) => {
      const now = schedule.now();
      const hung = world.closing ? 0 : Math.max(0, weather.hungUntil - now);
      busyUntil = Math.max(now, busyUntil) + random.between(1, plan.slowMs) + hung;
      const transaction: Pending = {
        run() {
          const fate = fateOf(apply, risk);
          world.note(fate.kind.length, schedule.now());
          schedule.after(random.between(0, 3), () => {
            if (!isCut) resolve(fate);
          });
        },
      };
      pending.push(transaction);
      schedule.after(busyUntil - now, () => {
        if (pending[0] !== transaction) return;
        pending.shift();
        transaction.run();
      });
    });
  }

  function fateOf<Result>(apply: () => Result, risk: Risk): Fate<Result> {
    if (!world.closing) {
      if (schedule.now() < weather.downUntil) return { kind: "store-failed" };
      if (random.chance(plan.fail)) return { kind: "store-failed" };
      if (random.chance(risk.throwBefore)) return { kind: "threw", error: new StoreBroke() };
    }
    try {
      const result = apply();
      if (world.closing) return { kind: "committed", result };
      if (random.chance(risk.lose)) return { kind: "store-failed" };
      if (random.chance(risk.throwAfter)) return { kind: "threw", error: new StoreBroke() };
      return { kind: "committed", result };
    } catch (error) {
      return { kind: "threw", error };
    }
  }

  /** A lone operation that throws is refused for good: only its own fault may do that. */
  function riskOf({ operations }: Batch): Risk {
    const { lose, throwBefore, throwAfter } = plan;
    return operations.length > 1
      ? { lose, throwBefore, throwAfter }
      : { lose, throwBefore: 0, throwAfter: 0 };
  }

  async function send(batch: Batch): Promise<SendAnswer> {
    world.check(batchSince === 0, "two batches of one process are on their way");
    world.check(batch.operations.length <= batchMax, "a batch is too long");
    batchSince = schedule.now();
    // Text and back, as it crosses threads.
    const apply = (): OperationResult[] => store.applyBatch(batch);
    const fate = await transact(apply, riskOf(batch));
    // Operations of a batch that threw follow one by one, and whatever comes later waits for them.
    const isSlow = schedule.now() - batchSince > slowMs || batch.again || fate.kind === "threw";
    if (isSlow) troubledAt = schedule.now();
    batchSince = 0;
    batchFailed = fate.kind === "store-failed";
    switch (fate.kind) {
      case "committed":
        return { kind: "committed", results: fate.result };
      case "store-failed":
        troubledAt = schedule.now();
        return { kind: "store-failed", reason: "away" };
      case "threw":
        throw fate.error;
    }
  }

  async function write<Result>(apply: () => Result): Promise<Result> {
    // SQLite tells whether it committed.
    const lose = plan.policy === "whole" ? 0 : plan.lose;
    const fate = await transact(apply, { lose, throwBefore: 0, throwAfter: 0 });
    if (fate.kind === "committed") return fate.result;
    throw fate.kind === "threw" ? fate.error : new StoreBroke();
  }

  const isOver = (ms: number): boolean => batchSince > 0 && schedule.now() - batchSince > ms;
  return {
    send,
    write,
    isTroubled: () => batchFailed || isOver(lateMs),
    troubledAt: () => (batchFailed || isOver(slowMs) ? schedule.now() : troubledAt),
    cut() {
      isCut = true;
      const [first] = pending;
      pending.length = 0;
      if (first === undefined || random.chance(0.5)) return;
      // A file has no owner now, so its commit is over before anybody opens it again.
      if (plan.policy === "whole") first.run();
      else pending.push(first);
    },
  };
}
