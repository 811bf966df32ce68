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
 * How long calls may wait for each other in a round, on average: as long as this machine takes for
 * this many calls, by the median of its last rounds. A call passes through about three rounds: when
 * it arrives, when the upstream has answered, and when its charge is stored.
 */
const waitingMax = 60;

/**
 * The least and the most that this may be, in milliseconds: a fast machine takes bursts, and on a slow
 * one nobody waits for ever.
 */
export const waitMaxMs = 5;
const slowWaitMaxMs = 50;

/** The median is taken of this many rounds, each with at least this many calls. */
const medianRounds = 15;
const medianCallsMin = 8;

/** What a refusal takes, as a part of what a call does. */
const refusalPart = 0.2;

/**
 * No call is refused while a round has fewer calls than this, as the average call finds it. On a
 * slow machine, or with large bodies, the calls of a few dozen clients always wait for each other,
 * but never for long.
 */
const crowdMin = 80;

/**
 * How long calls wait for each other while calls are refused, as a part of the limit: shorter, so that
 * a call that is taken has little to wait for, and long enough that there is always one to process.
 */
const goalPart = 0.8;

/**
 * When this many ticks had a wait that was too long, calls are refused. Every two shorter ones
 * between them take one away, because the mean of a tick varies a lot. Bursts of a few hundred
 * calls are over sooner.
 */
const longTicksMax = 10;

/** A tick counts as late when it comes after this many of its periods. */
const lateTicks = 1.5;

/** A tick with a wait below this part of the limit shows that the calls were worked off. */
const calmPart = 0.1;

/**
 * For each multiple of its goal that the wait is too long, this share of the calls fewer are taken.
 * While no call waits, this share more are.
 */
const gain = 0.1;

/** A wait is judged as too long by at most this many multiples of its goal. */
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
  const long = openLongTicks();
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
  let refusedOfRound = 0;
  let roundStartMs = 0;
  /** How long calls should wait for each other at most. */
  let waitMaxNowMs = waitMaxMs;
  const pace = openPace();
  let tickedMs = elapsed();

  function endRound(): void {
    const tookMs = elapsed() - roundStartMs;
    waitedMs += waitedIn(tookMs, callsOfRound);
    calls += callsOfRound;
    crowd += callsOfRound * callsOfRound;
    pace.note(tookMs, callsOfRound, refusedOfRound);
    callsOfRound = 0;
    refusedOfRound = 0;
  }

  /** Determines how many calls are taken until the next tick. */
  function adjust(): void {
    ticksWithoutRefusal = hasRefused ? 0 : ticksWithoutRefusal + 1;
    hasRefused = false;
    if (ticksWithoutRefusal > overTicks) sheds = false;
    ({ taken, left } = nextTaken({ taken, usualCalls, usualWaitMs, waitMaxNowMs }));
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
        refusedOfRound += 1;
        return true;
      }
      left -= 1;
      return false;
    },
    tick() {
      const isLate = elapsed() - tickedMs > lateTicks * tickMs;
      tickedMs = elapsed();
      // The thread worked at calls that it had before, which says nothing of new ones.
      if (calls === 0 && isLate) return;
      const waitMs = calls === 0 ? 0 : waitedMs / calls;
      usualWaitMs += (waitMs - usualWaitMs) / averageTicks;
      usualCalls += (calls - usualCalls) / averageTicks;
      waitMaxNowMs = pace.waitMaxMs();
      if (!sheds && long.add(waitMs, waitMaxNowMs, { calls, crowd, isLate })) {
        sheds = true;
        taken = usualCalls * firstPart;
        ticksWithoutRefusal = 0;
      }
      if (sheds) adjust();
      calls = 0;
      waitedMs = 0;
      crowd = 0;
    },
  };
}

type Taking = {
  readonly taken: number;
  readonly usualCalls: number;
  readonly usualWaitMs: number;
  readonly waitMaxNowMs: number;
};

/** Computes how many calls a tick are taken at the goal, and how many in the next tick. */
function nextTaken({ taken: before, usualCalls, usualWaitMs, waitMaxNowMs }: Taking) {
  const waitGoalMs = waitMaxNowMs * goalPart;
  const excess = Math.min(usualWaitMs / waitGoalMs - 1, excessMax);
  const part = 1 - gain * excess;
  // While calls wait too long, no more can be taken than come.
  let taken = excess > 0 ? Math.min(before, usualCalls) : before;
  taken *= usualWaitMs < waitGoalMs * idlePart ? growth : 1 + (part - 1) / followTicks;
  taken = Math.max(taken, usualCalls * takenMin, 1);
  return { taken, left: taken * part };
}

/**
 * Returns how long the calls of a round waited for each other. A call that is alone waits for none,
 * however long the round takes, because other programs use the machine: refusing calls would not make
 * it shorter.
 */
function waitedIn(tookMs: number, calls: number): number {
  return (calls - 1) * tookMs;
}

type Ticked = { readonly calls: number; readonly crowd: number; readonly isLate: boolean };

/** Counts the ticks with a long wait. */
function openLongTicks() {
  let longTicks = 0;
  return {
    /** Returns whether there were too many, and then begins anew. */
    add(waitMs: number, waitMaxNowMs: number, { calls, crowd, isLate }: Ticked): boolean {
      if (waitMs > waitMaxNowMs && crowd >= crowdMin * calls) longTicks += 1;
      else if (calls > 0 && waitMs < waitMaxNowMs * calmPart) longTicks = 0;
      // On a slow machine most calls come in every third round; those between show no relief.
      else if (!isLate) longTicks = Math.max(0, longTicks - 0.5);
      if (longTicks <= longTicksMax) return false;
      longTicks = 0;
      return true;
    },
  };
}

/** What this machine took for a call in each of the last rounds, in milliseconds. */
function openPace() {
  const took = new Float64Array(medianRounds);
  const sorted = new Float64Array(medianRounds);
  let noted = 0;
  return {
    note(ms: number, calls: number, refused: number): void {
      if (calls < medianCallsMin) return;
      took[noted % medianRounds] = ms / (calls - refused * (1 - refusalPart));
      noted += 1;
    },
    /** Returns how long calls should wait for each other at most. */
    waitMaxMs(): number {
      if (noted < medianRounds) return waitMaxMs;
      sorted.set(took);
      const median = sorted.sort()[(medianRounds - 1) / 2] ?? 0;
      return Math.max(waitMaxMs, Math.min(waitingMax * median, slowWaitMaxMs));
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
