/**
 * Turns calls away while the thread that answers cannot keep up. How late a timer fires is how
 * long whatever arrives now will wait; when that stays long, a growing share of new calls is
 * refused at once, so that the others are answered in time.
 */

export type Overload = {
  /** Whether this call is one of those turned away. */
  turnsAway(): boolean;
  /** Call every `tickMs`; takes the monotonic time. */
  tick(nowMs: number): void;
};

/** How often the timer is asked how late it is. */
export const tickMs = 50;

/** Waiting so long is what a busy thread may cost; a garbage collection takes less. */
const lateMaxMs = 100;

/** So many ticks too late on end are a rush: a burst of some hundred calls is not. */
const lateTicksMax = 10;

/** Share more that is refused at each tick that is too late. */
const step = 0.1;

/** Share less at each tick that is in time: slower, so that the load does not swing. */
const stepBack = 0.025;

/** Some calls always get through, by which it shows that the rush is over. */
const shareMax = 0.98;

export function openOverload(startMs: number): Overload {
  let dueMs = startMs + tickMs;
  let share = 0;
  let lateTicks = 0;
  /** Turned away are the calls at which this reaches 1: evenly spread, without chance. */
  let owed = 0;
  return {
    turnsAway() {
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
