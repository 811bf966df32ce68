import { type RefObject, useLayoutEffect, useRef } from "react";

/**
 * A ref to the latest value, for callbacks that must stay the same function. Must not be read while
 * React renders.
 */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
