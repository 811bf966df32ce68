/** A process's connection to the simulated store, used by its queue and its console. */

import type { Batch } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import { lookAgain, openTransactions, type Risk, storeBroke } from "./transactions.ts";
import type { Trouble, World } from "./world.ts";

export type Link = {
  send(batch: Batch): Promise<SendAnswer>;
  /** Runs a transaction between the queue's batches. Rejects when it failed. */
  write<Result>(apply: () => Result): Promise<Result>;
  /** True while the store does not commit this process's batches. No call may start then. */
  pulse<Result>(apply: () => Result): Promise<Result>;
  /** When the store last failed or was slow, in simulated milliseconds. */
  isTroubled(): boolean;
  /** When `isTroubled` was last true or the store was slow, in simulated milliseconds. */
  troubledAt(): number;
  /** True while no batch is in flight. */
  isIdle(): boolean;
  /** Cuts the connection, because the process died. A running commit may still succeed. */
  cut(): void;
};

/** Limits on the queue's batches, as in `queue.ts`. */
const batchMax = 200;
const lateMs = 1_000;

/**
 * A batch that takes longer counts as slow. After two slow batches in a row, a call has waited for
 * a second.
 */
const slowMs = 400;

/** The longest time that a heartbeat transaction may take. */
const pulseMaxMs = 2_000;

export function openLink(world: World, trouble: Trouble): Link {
  const { schedule, plan, store, check } = world;
  const stops = (): number => Math.max(trouble.frozenUntil, trouble.cutUntil);
  const transactions = openTransactions(world, { sendsAgain: stops, hearsAgain: stops });
  const deaf = (): number => Math.max(stops(), trouble.deafUntil);
  const aside = openTransactions(world, { sendsAgain: deaf, hearsAgain: deaf });
  let batchSince = 0;
  let batchFailed = false;
  let troubledAt = 0;

  async function send(batch: Batch): Promise<SendAnswer> {
    check(batchSince === 0, "two batches of one process are on their way");
    check(batch.operations.length <= batchMax, "a batch is too long");
    batchSince = schedule.now();
    if (batch.again) world.counts["sent again"] += 1;
    const fate = await transactions.run(() => store.applyBatch(batch), riskOf(world, batch));
    // A batch that threw is sent again, one operation at a time, while later operations wait; that
    // counts as slow.
    const isSlow = schedule.now() - batchSince > slowMs || batch.again || fate.kind !== "committed";
    if (isSlow) troubledAt = schedule.now();
    batchSince = 0;
    batchFailed = fate.kind === "store-failed";
    switch (fate.kind) {
      case "committed":
        if (fate.result === "fenced") world.counts.fenced += 1;
        return fate.result === "fenced"
          ? { kind: "fenced" }
          : { kind: "committed", results: fate.result };
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

  async function pulse<Result>(apply: () => Result): Promise<Result> {
    const risk = { lose: plan.lose, throwBefore: 0, throwAfter: 0 };
    const fate = await Promise.race([
      aside.run(apply, risk),
      new Promise<null>((resolve) => {
        const expire = (): void => {
          const frozenMs = trouble.frozenUntil - schedule.now();
          if (frozenMs <= 0) resolve(null);
          else schedule.after(lookAgain(frozenMs) + world.random.between(0, 3), expire);
        };
        schedule.after(pulseMaxMs, expire);
      }),
    ]);
    if (fate?.kind === "committed") return fate.result;
    throw storeBroke;
  }

  const isOver = (ms: number): boolean => batchSince > 0 && schedule.now() - batchSince > ms;
  return {
    send,
    write,
    pulse,
    isTroubled: () => batchFailed || isOver(lateMs),
    troubledAt: () => (batchFailed || isOver(slowMs) ? schedule.now() : troubledAt),
    isIdle: () => batchSince === 0,
    cut() {
      transactions.cut();
      aside.cut();
    },
  };
}

/**
 * The chances of faults for a batch. A batch of one operation never throws at random, because the
 * ledger refuses an operation for ever that throws alone.
 */
function riskOf({ plan }: World, { operations }: Batch): Risk {
  const { lose, throwBefore, throwAfter } = plan;
  return operations.length > 1
    ? { lose, throwBefore, throwAfter }
    : { lose, throwBefore: 0, throwAfter: 0 };
}
