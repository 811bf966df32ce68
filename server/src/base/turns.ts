/** Spreads simultaneous calls over time, so that other work of the thread is done meanwhile. */

/** Returns a promise that resolves when the call may begin; undefined: it may begin immediately. */
export type TakeTurn = () => Promise<void> | undefined;

/** How calls are postponed; tests pass their own. */
type Postpone = {
  /** Runs `work` in the next turn of the event loop. */
  readonly toNextTurn: (work: () => void) => void;
  readonly by: (ms: number, work: () => void) => void;
};

/** How many calls may begin in one turn. Beginning one takes about a tenth of a millisecond. */
const begunMax = 2;

/**
 * While more calls than this wait, they are spread over time, too. A screen of the console makes
 * fewer at once.
 */
const promptMax = 16;

/** How many milliseconds pass between two calls that are spread over time. */
const pauseMs = 1;

const postponeByLoop: Postpone = {
  // The platform reads from the network between two immediates.
  toNextTurn: (work) => void setImmediate(work),
  by: (ms, work) => void setTimeout(work, ms),
};

/**
 * Lets only a few calls begin in one turn of the event loop. When hundreds arrive at the same time,
 * such as sign-ins, one begins in a millisecond: the calls, and the threads that work for them,
 * would otherwise keep every core busy until all are answered.
 */
export function openTurns(postpone: Postpone = postponeByLoop): TakeTurn {
  // At most one call of each open connection waits here.
  const waiting: (() => void)[] = [];
  let begun = 0;

  function nextTurn(): void {
    begun = 0;
    const isSpread = waiting.length > promptMax;
    for (const begin of waiting.splice(0, isSpread ? 1 : begunMax)) {
      begun += 1;
      begin();
    }
    if (isSpread) postpone.by(pauseMs, nextTurn);
    else if (begun > 0) postpone.toNextTurn(nextTurn);
  }

  return () => {
    if (begun === begunMax || waiting.length > 0) {
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    }
    if (begun === 0) postpone.toNextTurn(nextTurn);
    begun += 1;
    return undefined;
  };
}
