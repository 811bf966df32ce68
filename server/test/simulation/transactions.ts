/**
 * Transactions of one connection, with everything that can happen to them: they are slow, fail,
 * hang, throw, or commit while the answer is lost.
 */

import type { World } from "./world.ts";

type Fate<Result> =
  | { readonly kind: "committed"; readonly result: Result }
  /** It failed, or was committed and the answer was lost. */
  | { readonly kind: "store-failed" }
  | { readonly kind: "threw"; readonly error: unknown };

/** Chances, beside that of a plain failure, which threatens every transaction. */
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
  /** One after the other. Never resolves once the connection is cut. */
  run<Result>(apply: () => Result, risk: Risk): Promise<Fate<Result>>;
  cut(): void;
};

/** What keeps a connection from working, in simulated milliseconds; past: nothing. */
type Obstacles = {
  /** Until then nothing is sent, but for what was on its way. */
  readonly sendsAgain: () => number;
  /** Until then nobody hears an answer. */
  readonly hearsAgain: () => number;
};

/** Obstacles may go sooner than they were to, so they are looked at again within this time. */
const lookMs = 1_000;

export const lookAgain = (waitMs: number): number => Math.max(0, Math.min(waitMs, lookMs));

/** Chance that a transaction had not left when its connection stopped working. */
const unsent = 0.7;

export function openTransactions(world: World, obstacles: Obstacles): Transactions {
  const { random, schedule, plan, weather } = world;
  const pending: { readonly commit: () => void }[] = [];
  let isCut = false;
  let busyUntil = 0;

  function run<Result>(apply: () => Result, risk: Risk): Promise<Fate<Result>> {
    return new Promise((resolve) => {
      const now = schedule.now();
      const hungMs = world.closing ? 0 : Math.max(0, weather.hungUntil - now);
      busyUntil = Math.max(now, busyUntil) + random.between(1, plan.slowMs) + hungMs;
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
            // A connection that was silent for long may be gone, and the answer with it.
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
    // The last commit of a dead owner is complete before another process opens the file.
    if (plan.policy === "whole") first.commit();
    else pending.push(first);
  }

  return { run, cut };
}

/** One error for all, because making one with its stack is the slowest part. */
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
