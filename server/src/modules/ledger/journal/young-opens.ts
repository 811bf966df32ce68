/** Reservations whose rows wait for their time. */

import type { Operation, OperationResult } from "#modules/ledger/operations.ts";

/** An operation that is not committed yet, and who waits for it. */
export type Waiting = {
  readonly operation: Operation;
  readonly resolve: (result: OperationResult) => void;
  readonly reject: (error: unknown) => void;
};

export const done: OperationResult = { type: "done" };

/**
 * Reservations whose rows are not sent yet. Most calls end before their row is due: then no row is
 * written, because the settlement contains everything. For longer calls the row is sent, so that
 * the next process can find them if this one dies: with whatever is sent next, or by itself when
 * nothing else is.
 *
 * @param youngMs the age from which a row goes with others.
 * @param aloneMs the age at which it is sent by itself.
 */
export function openYoungOpens(elapsed: () => number, youngMs: number, aloneMs: number) {
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

  /** Returns in how many milliseconds the oldest is to be sent by itself. */
  function restMs(): number {
    const [oldest] = young.values();
    return oldest === undefined ? 0 : Math.max(0, oldest.sinceMs + aloneMs - elapsed());
  }

  return {
    add: (id: string, one: Waiting) => void young.set(id, { one, sinceMs: elapsed() }),
    drop,
    takeGrown,
    restMs,
    count: () => young.size,
  };
}
