/**
 * One timer that checks the time limits of all calls in progress. Resetting a timer of each call at
 * every chunk would cost more than relaying the chunk; checking 10,000 calls takes two
 * milliseconds, four times a second.
 */

/** Something with time limits, which `tick` checks. It must not throw. */
export type Ticking = { tick(nowMs: number): void };

export type Ticker = {
  /** Monotonic milliseconds, as passed to `tick`. */
  readonly nowMs: () => number;
  add(ticking: Ticking): void;
  remove(ticking: Ticking): void;
};

/** How often time limits are checked, so a limit may be exceeded by up to this time. */
const tickMs = 250;

export function openTicker(nowMs: () => number): Ticker {
  const open = new Set<Ticking>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function tickAll(): void {
    if (open.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const now = nowMs();
    for (const ticking of open) ticking.tick(now);
  }

  return {
    nowMs,
    add(ticking) {
      open.add(ticking);
      // The timer alone must not keep the process alive.
      if (timer === undefined) timer = setInterval(tickAll, tickMs).unref();
    },
    remove: (ticking) => void open.delete(ticking),
  };
}
