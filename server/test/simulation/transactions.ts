/**
 * Transactions of one connection, with everything that can happen to them: they are slow, fail,
 * hang, throw, or commit without anybody hearing of it.
 */

import type { World } from "./world.ts";

type Fate<Result> =
  | { readonly kind: "committed"; readonly result: Result }
  /** Not done, or done and nobody knows. */
  | { readonly kind: "store-failed" }
  | { readonly kind: "threw"; readonly error: unknown };

/** Chances, beside that of a plain failure, which threatens every transaction. */
export type Risk = {
  readonly lose: number;
  readonly throwBefore: number;
  readonly throwAfter: number;
};

/** Thrown by the store for no reason of the operations. */
class StoreBroke extends Error {
  override readonly name = "StoreBroke";
}

type Transactions = {
  /** One after the other. Never resolves once the connection is cut. */
  run<Result>(apply: () => Result, risk: Risk): Promise<Fate<Result>>;
  cut(): void;
};

export function openTransactions(world: World): Transactions {
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
          schedule.after(random.between(0, 3), () => {
            if (!isCut) resolve(fate);
          });
        },
      };
      pending.push(transaction);
      schedule.after(busyUntil - now, () => {
        if (pending[0] !== transaction) return;
        pending.shift();
        transaction.commit();
      });
    });
  }

  function cut(): void {
    isCut = true;
    const [first] = pending;
    pending.length = 0;
    if (first === undefined || random.chance(0.5)) return;
    // A file without an owner has its last commit behind it before anybody opens it again.
    if (plan.policy === "whole") first.commit();
    else pending.push(first);
  }

  return { run, cut };
}

/** One for all: making an error with its stack costs more than everything else. */
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
