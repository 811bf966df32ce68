import { useEffect, useState } from "react";
import { defaultRange, type LogRange, rangeAhead } from "./logs.search.ts";

/** Milliseconds between two looks whether the default range is still ahead of the clock. */
const lookIntervalMs = 60_000;

/**
 * The range for an address that names none. It stands still while the screen is read, so that the
 * rows do; before the clock has caught up with its end, the end moves on.
 */
export function useDefaultRange(): LogRange {
  const [range, setRange] = useState(() => defaultRange(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => {
      const next = defaultRange(Date.now());
      setRange((now) => (next.end - now.end < rangeAhead / 2 ? now : { ...now, end: next.end }));
    }, lookIntervalMs);
    return () => clearInterval(timer);
  }, []);
  return range;
}
