import { useEffect, useState } from "react";
import { defaultRange, type LogRange, rangeAhead } from "./logs.search.ts";

/** Milliseconds between two checks whether the default range still ends in the future. */
const lookIntervalMs = 60_000;

/**
 * The range for an address that names none. It stays the same while the screen is read, so that the
 * rows do too; when the clock comes near its end, the end moves on.
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
