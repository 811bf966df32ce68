/** What one turn of the relaying thread may cost. */

/** The most, in milliseconds of processor time. */
export const turnMs = 100;

/** The most that a body may cost above one in plain words of the same size. */
const plainRatioMax = 5;

/**
 * What costs less than this, in milliseconds, is not compared with a plain body: that one is over in
 * a few milliseconds, of which the engine's compiler and its collector take a part by chance, and
 * who waits for half a turn does not notice.
 */
const comparedMs = turnMs / 2;

export function isTooLong({ ms, plainMs }: { readonly ms: number; readonly plainMs: number }) {
  return ms > turnMs || (ms > comparedMs && ms > plainMs * plainRatioMax);
}
