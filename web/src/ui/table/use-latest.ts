import { type RefObject, useLayoutEffect, useRef } from "react";

/** What was given last, for functions that must stay the same while it changes. Not for drawing. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
