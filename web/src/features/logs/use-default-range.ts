import { useEffect, useState } from "react";
import { defaultRange, type LogRange, rangeAhead } from "./logs.search.ts";

/** Milliseconds between two checks whether the default range must be extended. */
const lookIntervalMs = 60_000;

/**
 * Returns the time range for an address that names none. It stays the same while the user reads, so
 * that the list does too; only when less than half an hour of it is left is its end moved on.
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
