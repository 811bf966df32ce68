/**
 * Load shedding. Event-loop lag, measured by how late a timer fires, is how long a new call would
 * wait. While it stays high, a growing share of new calls is refused at once, so that the others
 * are answered in time.
 */

type Overload = {
  /** Whether this call is to be refused. */
  shedsLoad(): boolean;
  /** Call it every `tickMs`, with the monotonic time. */
  tick(nowMs: number): void;
};

/** Interval of the lag measurement. */
export const tickMs = 50;

/** Lag that a busy process may have; a garbage collection takes less. */
const lateMaxMs = 100;

/** Consecutive late ticks that mean overload. A burst of a few hundred calls stays below. */
const lateTicksMax = 10;

/** How much the share of refused calls grows with each late tick. */
const step = 0.1;

/**
 * How much the share shrinks with each tick that is in time: more slowly, so that the load does not
 * oscillate.
 */
const stepBack = 0.025;

/** Some calls always get through; they show when the overload is over. */
const shareMax = 0.98;

export function openOverload(startMs: number): Overload {
  let dueMs = startMs + tickMs;
  let share = 0;
  let lateTicks = 0;
  /**
   * Adds up the share per call; a call is refused whenever it reaches 1, so refusals are evenly
   * spread.
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
 * Watches how late this thread is. The timer keeps no process alive.
 *
 * @param elapsed monotonic milliseconds.
 * @returns whether this call is one of those refused.
 */
export function watchOverload(elapsed: () => number): Overload["shedsLoad"] {
  const overload = openOverload(elapsed());
  setInterval(() => overload.tick(elapsed()), tickMs).unref();
  return overload.shedsLoad;
}
