/** A process's connection to the store, for its queue and its console. */

import type { Batch } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import { openTransactions, type Risk, storeBroke } from "./transactions.ts";
import type { World } from "./world.ts";

export type Link = {
  send(batch: Batch): Promise<SendAnswer>;
  /** Runs a transaction between the queue's batches. Rejects when it failed. */
  write<Result>(apply: () => Result): Promise<Result>;
  /** The store does not commit this process's batches: no call may start. */
  isTroubled(): boolean;
  /** When it last was or was slow, in simulated milliseconds. */
  troubledAt(): number;
  /** No batch is on its way. */
  isIdle(): boolean;
  /** The process died. A running commit may still succeed. */
  cut(): void;
};

/** As in `queue.ts`: limits its batches must keep. */
const batchMax = 200;
const lateMs = 1_000;

/** Two batches of this length, one after the other, and a call has waited for a second. */
const slowMs = 400;

export function openLink(world: World): Link {
  const { schedule, plan, store, check } = world;
  const transactions = openTransactions(world);
  let batchSince = 0;
  let batchFailed = false;
  let troubledAt = 0;

  async function send(batch: Batch): Promise<SendAnswer> {
    check(batchSince === 0, "two batches of one process are on their way");
    check(batch.operations.length <= batchMax, "a batch is too long");
    batchSince = schedule.now();
    if (batch.again) world.counts["sent again"] += 1;
    const fate = await transactions.run(() => store.applyBatch(batch), riskOf(world, batch));
    // The operations of a batch that threw follow one by one; later ones wait for them.
    const isSlow = schedule.now() - batchSince > slowMs || batch.again || fate.kind !== "committed";
    if (isSlow) troubledAt = schedule.now();
    batchSince = 0;
    batchFailed = fate.kind === "store-failed";
    switch (fate.kind) {
      case "committed":
        return { kind: "committed", results: fate.result };
      case "store-failed":
        return { kind: "store-failed", reason: "away" };
      case "threw":
        world.counts["sent one by one"] += batch.operations.length > 1 ? 1 : 0;
        throw fate.error;
    }
  }

  async function write<Result>(apply: () => Result): Promise<Result> {
    const risk = { lose: plan.lose, throwBefore: 0, throwAfter: 0 };
    const fate = await transactions.run(apply, risk);
    if (fate.kind === "committed") return fate.result;
    throw fate.kind === "threw" ? fate.error : storeBroke;
  }

  const isOver = (ms: number): boolean => batchSince > 0 && schedule.now() - batchSince > ms;
  return {
    send,
    write,
    isTroubled: () => batchFailed || isOver(lateMs),
    troubledAt: () => (batchFailed || isOver(slowMs) ? schedule.now() : troubledAt),
    isIdle: () => batchSince === 0,
    cut: transactions.cut,
  };
}

/** A single operation that throws is refused for good, so it must be its own fault. */
function riskOf({ plan }: World, { operations }: Batch): Risk {
  const { lose, throwBefore, throwAfter } = plan;
  return operations.length > 1
    ? { lose, throwBefore, throwAfter }
    : { lose, throwBefore: 0, throwAfter: 0 };
}
