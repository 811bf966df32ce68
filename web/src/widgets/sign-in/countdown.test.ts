import { act, renderHook } from "#testing/dom.ts";
import { expect, test } from "bun:test";
import { secondsLeft, useCountdown, waitMs } from "./countdown.ts";

test("A-454: 30 seconds count down to none", () => {
  expect([0, 1, 29_001, 29_999, 30_000].map((passed) => secondsLeft(waitMs, passed))).toEqual([
    30, 30, 1, 1, 0,
  ]);
});

test("a clock that was set back does not prolong the wait; without a stored time there is none", () => {
  expect(secondsLeft(10 * waitMs, 0)).toBe(0);
  expect(secondsLeft(Number(null), 5)).toBe(0);
  expect(secondsLeft(Number("text"), 5)).toBe(0);
});

test("A-454: a reload does not end the wait; another e-mail has a wait of its own", () => {
  const first = renderHook(() => useCountdown("code"));
  expect(first.result.current.secondsLeft).toBe(0);
  act(() => first.result.current.start());
  expect(first.result.current.secondsLeft).toBe(30);
  first.unmount();
  expect(renderHook(() => useCountdown("code")).result.current.secondsLeft).toBeGreaterThan(0);
  expect(renderHook(() => useCountdown("link")).result.current.secondsLeft).toBe(0);
});
