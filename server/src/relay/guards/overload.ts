/**
 * Load shedding. A new call would have to wait as long as the event loop lags, which is measured by
 * how late a timer fires. While the lag stays high, a growing share of new calls is refused
 * immediately, so that the others are answered in time.
 */

type Overload = {
  /** Whether to refuse the present call. */
  shedsLoad(): boolean;
  /** Measures the lag. Called every `tickMs` by a timer, with the monotonic time. */
  tick(nowMs: number): void;
};

/** How often the lag is measured. */
export const tickMs = 50;

/** A tick later than this counts as late. A busy process or a garbage collection stays below it. */
const lateMaxMs = 100;

/**
 * After more consecutive late ticks than this, calls are refused. A burst of a few hundred calls
 * makes fewer ticks late.
 */
const lateTicksMax = 10;

/** How much the share of refused calls grows with each further late tick. */
const step = 0.1;

/**
 * How much the share of refused calls shrinks with each tick on time. Less than it grows, so that
 * the load does not oscillate.
 */
const stepBack = 0.025;

/**
 * The largest share of calls that is refused. The calls that still pass show when the overload is
 * over.
 */
const shareMax = 0.98;

export function openOverload(startMs: number): Overload {
  let dueMs = startMs + tickMs;
  let share = 0;
  let lateTicks = 0;
  /**
   * The share of calls to refuse, summed up over the calls so far. When it reaches 1, a call is
   * refused and 1 is subtracted, so that refusals are evenly spread.
   */
  let owed = 0;
  return {
    shedsLoad() {
      if (share === 0) return false;
      owed += share;
      if (owed < 1) return false;
      owed -= 1;
      return true;
    },
    tick(nowMs) {
      const lateMs = nowMs - dueMs;
      dueMs = nowMs + tickMs;
      lateTicks = lateMs > lateMaxMs ? lateTicks + 1 : 0;
      share =
        lateTicks > lateTicksMax ? Math.min(share + step, shareMax) : Math.max(share - stepBack, 0);
      if (share === 0) owed = 0;
    },
  };
}

/**
 * Measures the event-loop lag of this thread. Its timer does not keep the process alive.
 *
 * @param elapsed returns monotonic milliseconds.
 * @returns a function that says whether to refuse the present call.
 */
export function watchOverload(elapsed: () => number): Overload["shedsLoad"] {
  const overload = openOverload(elapsed());
  setInterval(() => overload.tick(elapsed()), tickMs).unref();
  return overload.shedsLoad;
}
