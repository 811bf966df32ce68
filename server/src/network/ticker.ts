/**
 * One clock for all time limits of all open calls. A timer per call, set again at every chunk,
 * would cost more than relaying the chunk; looking at every open call four times a second costs
 * 10,000 calls two milliseconds.
 */

/** Something with time limits. `tick` must not throw. */
export type Ticking = { tick(nowMs: number): void };

export type Ticker = {
  /** Monotonic milliseconds, as passed to `tick`. */
  readonly nowMs: () => number;
  add(ticking: Ticking): void;
  remove(ticking: Ticking): void;
};

/** By so much a limit may be overrun. */
export const tickMs = 250;

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
      // Open calls have their sockets; this timer alone keeps no process alive.
      if (timer === undefined) timer = setInterval(tickAll, tickMs).unref();
    },
    remove: (ticking) => void open.delete(ticking),
  };
}
