/**
 * Load shedding by waiting time. Everything that is ready to be processed waits until the event loop
 * comes round to it, so calls of the same round wait for each other. A burst makes a few rounds
 * long; then they are short again. If calls wait too long for each other all the time, more arrive
 * than can be answered. Then a share of the new calls is refused immediately, so that the others are
 * answered in time. See docs/decisions/2026-11-23-load-shedding.md.
 */

type Overload = {
  /**
   * Whether to refuse the present call.
   * @param hasWaited whether the call waited while its connection rested. During an overload none of
   * these is taken: its answer would come late, while calls that came in time are refused.
   */
  shedsLoad(hasWaited: boolean): boolean;
  /** Judges the rounds since the last tick. Called every `tickMs`. */
  tick(): void;
};

type OverloadTimes = {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Runs `work` when the present round of the event loop is over. */
  readonly afterRound: (work: () => void) => void;
};

/** How often the rounds are judged. */
export const tickMs = 50;

/**
 * How long calls should wait for each other in a round, on average. A call passes through about
 * three rounds: when it arrives, when the upstream has answered, and when its charge is stored.
 */
export const waitMaxMs = 5;

/**
 * After more consecutive ticks than this with a wait that is too long, calls are refused. Bursts of
 * a few hundred calls are over sooner.
 */
const longTicksMax = 10;

/** The most by which the share of refused calls grows in a tick. */
const step = 0.1;

/**
 * The most by which the share of refused calls shrinks in a tick. Less than it grows, so that the
 * load does not oscillate.
 */
const stepBack = 0.025;

/**
 * The largest share of calls that is refused. The calls that still pass show when the overload is
 * over.
 */
const shareMax = 0.98;

export function openOverload({ elapsed, afterRound }: OverloadTimes): Overload {
  let share = 0;
  let longTicks = 0;
  /** The calls since the last tick, and how long they waited for each other in sum. */
  let calls = 0;
  let waitedMs = 0;
  /** How many calls the present round has, and when the first of them was read. */
  let callsOfRound = 0;
  let roundStartMs = 0;
  /**
   * The share of calls to refuse, summed up over the calls so far. When it reaches 1, a call is
   * refused and 1 is subtracted, so that refusals are evenly spread.
   */
  let owed = 0;

  function endRound(): void {
    // A call that is alone in its round waits for none. However long the round takes, because other
    // programs use the machine: refusing calls would not make it shorter.
    waitedMs += (callsOfRound - 1) * (elapsed() - roundStartMs);
    calls += callsOfRound;
    callsOfRound = 0;
  }

  return {
    shedsLoad(hasWaited) {
      if (callsOfRound === 0) {
        roundStartMs = elapsed();
        afterRound(endRound);
      }
      callsOfRound += 1;
      if (share === 0) return false;
      if (hasWaited) return true;
      owed += share;
      if (owed < 1) return false;
      owed -= 1;
      return true;
    },
    tick() {
      const waitMs = calls === 0 ? 0 : waitedMs / calls;
      calls = 0;
      waitedMs = 0;
      longTicks = waitMs > waitMaxMs ? longTicks + 1 : 0;
      if (share === 0 && longTicks <= longTicksMax) return;
      // The further the wait is from its limit, the faster the share changes.
      const change = step * (waitMs / waitMaxMs - 1);
      share = Math.max(0, Math.min(share + Math.max(-stepBack, Math.min(change, step)), shareMax));
      if (share === 0) owed = 0;
    },
  };
}

/**
 * Measures how long calls wait for this thread. Its timer does not keep the process alive.
 *
 * @param elapsed returns monotonic milliseconds.
 * @returns a function that says whether to refuse the present call.
 */
export function watchOverload(elapsed: () => number): Overload["shedsLoad"] {
  const overload = openOverload({ elapsed, afterRound: (work) => void setImmediate(work) });
  setInterval(overload.tick, tickMs).unref();
  return overload.shedsLoad;
}
