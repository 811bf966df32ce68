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
   * @param hasWaited whether the call waited while its connection rested. While the gateway sheds
   * load, every such call is refused: it is late already, and would take the place of one that is
   * not.
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
export const tickMs = 20;

/**
 * How long calls should wait for each other in a round, on average. A call passes through about
 * three rounds: when it arrives, when the upstream has answered, and when its charge is stored.
 */
export const waitMaxMs = 5;

/**
 * No call is refused while a round has fewer calls than this, as the average call finds it. On a
 * slow machine, or with large bodies, the calls of a few dozen clients always wait for each other,
 * but never for long.
 */
const crowdMin = 80;

/**
 * How long calls wait for each other while calls are refused. Shorter than the limit, so that a call
 * that is taken has little to wait for, and long enough that there is always one to process.
 */
const waitGoalMs = 4;

/**
 * When this many ticks had a wait that was too long, calls are refused. Every two shorter ones
 * between them take one away, because the mean of a tick varies a lot. Bursts of a few hundred
 * calls are over sooner.
 */
const longTicksMax = 10;

/** A tick with a wait below this part of the limit shows that the calls were worked off. */
const calmPart = 0.1;

/**
 * By which part fewer calls are taken for each time that the wait exceeds its goal once more. While
 * no call waits, it is the part by which more are taken.
 */
const gain = 0.1;

/** A wait counts as at most this many times its goal too long. */
const excessMax = 3;

/**
 * Over how many ticks waits and calls are averaged, and over how many the number of calls follows
 * that are taken while the wait is at its goal. The second is much slower, so that the load does not
 * oscillate.
 */
const averageTicks = 4;
const followTicks = 20;

/** While the wait is below this part of its goal, that number grows faster: by `growth` a tick. */
const idlePart = 0.5;
const growth = 1.04;

/** The part of the calls that is taken at first, so that those that wait already are worked off. */
const firstPart = 0.5;

/** The part of the calls that is always taken. These show when the overload is over. */
const takenMin = 0.02;

/**
 * The overload is over when no call was refused for so many ticks. Longer than a connection
 * rests, so that no call is taken late that has waited so long.
 */
const overTicks = 1_100 / tickMs;

export function openOverload({ elapsed, afterRound }: OverloadTimes): Overload {
  let sheds = false;
  let longTicks = 0;
  let ticksWithoutRefusal = 0;
  /** The calls since the last tick, and how long they waited for each other in sum. */
  let calls = 0;
  let waitedMs = 0;
  /** For each of these calls, how many its round had, in sum. */
  let crowd = 0;
  let usualCalls = 0;
  let usualWaitMs = 0;
  /** How many calls a tick are taken while the wait is at its goal. */
  let taken = 0;
  /** How many calls may still be taken until the next tick, and whether one was refused since. */
  let left = 0;
  let hasRefused = false;
  /** How many calls the present round has, and when the first of them was read. */
  let callsOfRound = 0;
  let roundStartMs = 0;

  function endRound(): void {
    // A call that is alone in its round waits for none. However long the round takes, because other
    // programs use the machine: refusing calls would not make it shorter.
    waitedMs += (callsOfRound - 1) * (elapsed() - roundStartMs);
    calls += callsOfRound;
    crowd += callsOfRound * callsOfRound;
    callsOfRound = 0;
  }

  /** Counts the ticks with a long wait, and begins to refuse calls when there were too many. */
  function watch(waitMs: number): void {
    if (waitMs > waitMaxMs && crowd >= crowdMin * calls) longTicks += 1;
    else if (calls > 0 && waitMs < waitMaxMs * calmPart) longTicks = 0;
    else longTicks = Math.max(0, longTicks - 0.5);
    if (longTicks <= longTicksMax) return;
    sheds = true;
    taken = usualCalls * firstPart;
    longTicks = 0;
    ticksWithoutRefusal = 0;
  }

  /** Determines how many calls are taken until the next tick. */
  function adjust(): void {
    ticksWithoutRefusal = hasRefused ? 0 : ticksWithoutRefusal + 1;
    hasRefused = false;
    if (ticksWithoutRefusal > overTicks) sheds = false;
    const excess = Math.min(usualWaitMs / waitGoalMs - 1, excessMax);
    const part = 1 - gain * excess;
    // While calls wait too long, no more can be taken than come.
    if (excess > 0) taken = Math.min(taken, usualCalls);
    taken *= usualWaitMs < waitGoalMs * idlePart ? growth : 1 + (part - 1) / followTicks;
    taken = Math.max(taken, usualCalls * takenMin, 1);
    left = taken * part;
  }

  return {
    shedsLoad(hasWaited) {
      if (sheds && hasWaited) return true;
      if (callsOfRound === 0) {
        roundStartMs = elapsed();
        afterRound(endRound);
      }
      callsOfRound += 1;
      if (!sheds) return false;
      if (left < 1) {
        hasRefused = true;
        return true;
      }
      left -= 1;
      return false;
    },
    tick() {
      const waitMs = calls === 0 ? 0 : waitedMs / calls;
      usualWaitMs += (waitMs - usualWaitMs) / averageTicks;
      usualCalls += (calls - usualCalls) / averageTicks;
      if (!sheds) watch(waitMs);
      if (sheds) adjust();
      calls = 0;
      waitedMs = 0;
      crowd = 0;
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
