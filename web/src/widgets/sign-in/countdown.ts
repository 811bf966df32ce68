/**
 * The waiting time before an e-mail can be sent again; a reload of the page does not shorten it.
 */

import { useEffect, useState } from "react";
import { storageKey } from "#page/base-path.ts";

/** How long a user must wait before another code can be requested, in milliseconds. */
export const waitMs = 30_000;

type Countdown = {
  /** Whole seconds until the e-mail can be sent again; 0: it can be sent now. */
  readonly secondsLeft: number;
  readonly start: () => void;
};

/** Returns the countdown for one kind of e-mail in this tab; `name` tells the kinds apart. */
export function useCountdown(name: string): Countdown {
  const key = storageKey(`wait-until:${name}`);
  const [untilMs, setUntilMs] = useState(() => Number(sessionStorage.getItem(key)));
  const [nowMs, setNowMs] = useState(Date.now);
  const left = secondsLeft(untilMs, nowMs);
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), 250);
    return () => clearInterval(timer);
  }, [left]);
  return {
    secondsLeft: left,
    start() {
      const startMs = Date.now();
      sessionStorage.setItem(key, String(startMs + waitMs));
      setNowMs(startMs);
      setUntilMs(startMs + waitMs);
    },
  };
}

/**
 * Returns the seconds until `untilMs`; 0 if the rest is longer than the whole wait, because then
 * the clock was set back.
 */
export function secondsLeft(untilMs: number, nowMs: number): number {
  const leftMs = untilMs - nowMs;
  return leftMs > 0 && leftMs <= waitMs ? Math.ceil(leftMs / 1_000) : 0;
}
