/**
 * Transactions of one connection with everything that can happen to them: they are slow, fail,
 * hang, throw, or commit while the answer is lost.
 */

import type { World } from "./world.ts";

type Fate<Result> =
  | { readonly kind: "committed"; readonly result: Result }
  /** The transaction failed, or was committed and its answer was lost. */
  | { readonly kind: "store-failed" }
  | { readonly kind: "threw"; readonly error: unknown };

/**
 * A transaction's chances of faults. A plain failure is not among them, because every transaction
 * can meet it.
 */
export type Risk = {
  readonly lose: number;
  readonly throwBefore: number;
  readonly throwAfter: number;
};

/** An error of the store that the operations did not cause. */
class StoreBroke extends Error {
  override readonly name = "StoreBroke";
}

type Transactions = {
  /**
   * Runs a transaction after all earlier ones have ended. Never resolves once the connection is
   * cut.
   */
  run<Result>(apply: () => Result, risk: Risk): Promise<Fate<Result>>;
  cut(): void;
};

/**
 * Until when a connection does not work, in simulated milliseconds; a time in the past means that
 * it works.
 */
type Obstacles = {
  /** Until this time nothing is sent. What was sent before still arrives. */
  readonly sendsAgain: () => number;
  /** Until this time no answer of the store arrives. */
  readonly hearsAgain: () => number;
};

/** The longest wait before an obstacle is checked again, because it may end early. */
const lookMs = 1_000;

export const lookAgain = (waitMs: number): number => Math.max(0, Math.min(waitMs, lookMs));

/** Chance that a transaction was not sent yet when its connection stopped working. */
const unsent = 0.7;

export function openTransactions(world: World, obstacles: Obstacles): Transactions {
  const { random, schedule, plan, weather } = world;
  const pending: { readonly commit: () => void }[] = [];
  let isCut = false;
  let busyUntil = 0;

  function run<Result>(apply: () => Result, risk: Risk): Promise<Fate<Result>> {
    return new Promise((resolve) => {
      const now = schedule.now();
      const hungUntil = world.closing ? 0 : weather.hungUntil;
      busyUntil = Math.max(now, busyUntil, hungUntil) + random.between(1, plan.slowMs);
      const transaction = {
        commit() {
          const fate = fateOf(world, apply, risk);
          world.note(fate.kind.length, schedule.now());
          let wasKept = false;
          const isGone = random.chance(0.5);
          const answer = (): void => {
            const waitMs = obstacles.hearsAgain() - schedule.now();
            wasKept ||= waitMs > 0;
            if (waitMs > 0) schedule.after(lookAgain(waitMs) + random.between(0, 3), answer);
            // The database's answer to a commit that it kept back may be lost, because a
            // connection may break during a long silence.
            else if (!isCut) resolve(wasKept && isGone ? { kind: "store-failed" } : fate);
          };
          schedule.after(random.between(0, 3), answer);
        },
      };
      pending.push(transaction);
      const isUnsent = random.chance(unsent);
      const commitDue = (): void => {
        const waitMs = obstacles.sendsAgain() - schedule.now();
        if (!pending.includes(transaction)) return;
        const isFirst = pending[0] === transaction;
        if (!isFirst || (waitMs > 0 && isUnsent)) {
          schedule.after(lookAgain(waitMs) + random.between(1, 20), commitDue);
        } else {
          pending.shift();
          transaction.commit();
        }
      };
      schedule.after(busyUntil - now, commitDue);
    });
  }

  function cut(): void {
    isCut = true;
    const [first] = pending;
    pending.length = 0;
    if (first === undefined || random.chance(0.5)) return;
    // On SQLite the last commit of a dead process is complete before another process opens the
    // file.
    if (plan.policy === "whole") first.commit();
    else pending.push(first);
  }

  return { run, cut };
}

/** One error object for all failures, because making one with its stack is the slowest part. */
export const storeBroke = new StoreBroke();

function fateOf<Result>(world: World, apply: () => Result, risk: Risk): Fate<Result> {
  const { random, schedule, plan, weather, closing } = world;
  const fails = (probability: number): boolean => !closing && random.chance(probability);
  const broke = { kind: "threw", error: storeBroke } as const;
  if (!closing && schedule.now() < weather.downUntil) return { kind: "store-failed" };
  if (fails(plan.fail)) return { kind: "store-failed" };
  if (fails(risk.throwBefore)) return broke;
  try {
    const result = apply();
    if (fails(risk.lose)) return { kind: "store-failed" };
    return fails(risk.throwAfter) ? broke : { kind: "committed", result };
  } catch (error) {
    return { kind: "threw", error };
  }
}
