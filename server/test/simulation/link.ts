/** A process's connection to the simulated store, used by its queue and its console. */

import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { Batch, Operation } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import { lookAgain, openTransactions, type Risk, storeBroke } from "./transactions.ts";
import type { Trouble, World } from "./world.ts";

export type Link = {
  /** Applies a batch in one transaction. */
  send(batch: Batch): Promise<SendAnswer>;
  /** Writes a record of the journal with so many operations, or reads where the records end. */
  journal<Result>(operations: number, run: () => Result): Promise<Result>;
  /** Follows a batch of a queue on its way to the store, until `run` has its answer. */
  watch(batch: Batch, run: () => Promise<SendAnswer>): Promise<SendAnswer>;
  /** Runs a transaction between the queue's batches. Rejects when it failed. */
  write<Result>(apply: () => Result): Promise<Result>;
  /** As `write`, for the parts of the product that tell a store that failed from a bug. */
  writeBooks<Result>(apply: () => Result): Promise<Result>;
  /** Runs a transaction beside all others, as heartbeats do. Rejects when it failed. */
  pulse<Result>(apply: () => Result): Promise<Result>;
  /** True while the store does not commit this process's batches. No call may start then. */
  isTroubled(): boolean;
  /** When the store last failed or was slow, in simulated milliseconds. */
  troubledAt(): number;
  /** Notes that the store is slow or fails. */
  noteTrouble(): void;
  /** Cuts the connection, because the process died. A running commit may still succeed. */
  cut(): void;
};

/** Limits on the queue's batches, as in `queue.ts`. */
const batchMax = 200;
/** A queue for what goes into the journal, and one for what the books must judge. */
const laneCount = 2;
const lateMs = 1_000;

/**
 * A batch that takes longer counts as slow. After two slow batches in a row, a call has waited for
 * a second.
 */
export const slowMs = 400;

/** The longest time that a heartbeat transaction may take. */
const pulseMaxMs = 2_000;

export function openLink(world: World, trouble: Trouble): Link {
  const { schedule, plan, store } = world;
  const stops = (): number => Math.max(trouble.frozenUntil, trouble.cutUntil);
  const transactions = openTransactions(world, { sendsAgain: stops, hearsAgain: stops });
  const deaf = (): number => Math.max(stops(), trouble.deafUntil);
  const aside = openTransactions(world, { sendsAgain: deaf, hearsAgain: deaf });
  const watched = watchBatches(world);

  async function send(batch: Batch): Promise<SendAnswer> {
    const risk = riskOf(world, batch.operations.length);
    const fate = await transactions.run(() => store.applyBatch(batch), risk);
    if (fate.kind === "threw") throw fate.error;
    if (fate.kind === "store-failed") return { kind: "store-failed", reason: "away" };
    if (fate.result === "fenced") return { kind: "fenced" };
    return { kind: "committed", results: fate.result };
  }

  async function journal<Result>(operations: number, run: () => Result): Promise<Result> {
    // A record is one statement: once it is committed, nothing can fail but the way of its answer.
    const risk = { ...riskOf(world, operations), throwAfter: 0 };
    const fate = await transactions.run(run, risk);
    if (fate.kind === "committed") return fate.result;
    throw fate.kind === "threw" ? fate.error : new StoreUnavailable("away");
  }

  async function write<Result>(apply: () => Result): Promise<Result> {
    const risk = { lose: plan.lose, throwBefore: 0, throwAfter: 0 };
    const fate = await transactions.run(apply, risk);
    if (fate.kind === "committed") return fate.result;
    throw fate.kind === "threw" ? fate.error : storeBroke;
  }

  async function writeBooks<Result>(apply: () => Result): Promise<Result> {
    try {
      return await write(apply);
    } catch (error) {
      throw error === storeBroke ? new StoreUnavailable("away") : error;
    }
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

  return {
    ...watched,
    send,
    journal,
    write,
    writeBooks,
    pulse,
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
function riskOf({ plan }: World, operations: number): Risk {
  const { lose, throwBefore, throwAfter } = plan;
  return operations > 1
    ? { lose, throwBefore, throwAfter }
    : { lose, throwBefore: 0, throwAfter: 0 };
}

type Watched = Pick<Link, "isTroubled" | "noteTrouble" | "troubledAt" | "watch">;

/** Follows the batches of a process on their way to the store. */
function watchBatches({ schedule, check, counts }: World): Watched {
  /** When each batch on its way was sent. A batch that is sent again has the same operations. */
  const since = new Map<readonly Operation[], number>();
  const failed = new Set<readonly Operation[]>();
  let troubledAt = 0;

  const noteTrouble = (): void => void (troubledAt = schedule.now());

  async function watch(
    { operations, again }: Batch,
    run: () => Promise<SendAnswer>,
  ): Promise<SendAnswer> {
    check(since.size < laneCount, "two batches of one queue are on their way");
    check(operations.length <= batchMax, "a batch is too long");
    const sentMs = schedule.now();
    since.set(operations, sentMs);
    if (again) counts["sent again"] += 1;
    let isKnown = true;
    try {
      const answer = await run();
      isKnown = answer.kind === "committed";
      if (answer.kind === "fenced") counts.fenced += 1;
      return answer;
    } catch (error) {
      counts["sent one by one"] += operations.length > 1 ? 1 : 0;
      // Its operations are sent one at a time now, while later ones wait; that counts as slow.
      noteTrouble();
      throw error;
    } finally {
      since.delete(operations);
      if (isKnown) failed.delete(operations);
      else failed.add(operations);
      if (!isKnown || again || schedule.now() - sentMs > slowMs) noteTrouble();
    }
  }

  const isOver = (ms: number): boolean =>
    [...since.values()].some((sentMs) => schedule.now() - sentMs > ms);
  return {
    watch,
    isTroubled: () => failed.size > 0 || isOver(lateMs),
    troubledAt: () => (failed.size > 0 || isOver(slowMs) ? schedule.now() : troubledAt),
    noteTrouble,
  };
}
