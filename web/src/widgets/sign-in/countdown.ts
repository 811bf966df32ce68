/** The wait before an e-mail can be sent again; it survives a reload. */

import { useEffect, useState } from "react";

/** Length of the wait in milliseconds. */
export const waitMs = 30_000;

type Countdown = {
  /** Whole seconds; 0: now. */
  readonly secondsLeft: number;
  readonly start: () => void;
};

/** `name`: which e-mail it is about, in this tab. */
export function useCountdown(name: string): Countdown {
  const key = `wait-until:${name}`;
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

/** More than the whole wait means that the clock was set back: then there is no wait. */
export function secondsLeft(untilMs: number, nowMs: number): number {
  const leftMs = untilMs - nowMs;
  return leftMs > 0 && leftMs <= waitMs ? Math.ceil(leftMs / 1_000) : 0;
}
