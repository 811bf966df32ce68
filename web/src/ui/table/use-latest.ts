import { type RefObject, useLayoutEffect, useRef } from "react";

/** The latest value, for functions that must stay the same. Not to be read while drawing. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
