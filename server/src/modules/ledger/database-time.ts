/**
 * The time by the clock of the database, which all nodes share, for everything that is stored: the
 * hour of a row, the windows of budgets, rounds. A node learns it with each heartbeat, and counts on
 * from there by its monotonic clock, so its own clock may be wrong and may jump.
 */

export type DatabaseTime = {
  /** Unix milliseconds. */
  now(): number;
  /**
   * Notes what the database's clock said between two moments of the monotonic clock.
   */
  note(atMs: number, span: { readonly fromMs: number; readonly untilMs: number }): void;
};

/**
 * How far the time is off before it is set, in milliseconds: an answer says only that it was given
 * some time between question and arrival.
 */
const offMaxMs = 250;

/**
 * @param elapsed monotonic milliseconds.
 * @param own this node's clock, which counts until the database has told its own.
 */
export function openDatabaseTime(elapsed: () => number, own: () => number): DatabaseTime {
  /** The database's time when the monotonic clock was at 0. */
  let originMs: number | undefined;
  return {
    now: () => (originMs === undefined ? own() : Math.floor(originMs + elapsed())),
    note(atMs, { fromMs, untilMs }) {
      const originMin = atMs - untilMs;
      const originMax = atMs - fromMs;
      const isRight =
        originMs !== undefined &&
        originMs >= originMin - offMaxMs &&
        originMs <= originMax + offMaxMs;
      if (!isRight) originMs = (originMin + originMax) / 2;
    },
  };
}
