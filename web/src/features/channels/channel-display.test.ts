import { expect, test } from "bun:test";
import { readStatusInfo, responseTone, showMs } from "./channel-display.ts";

test("O-203 to O-207: each limit belongs to the better side", () => {
  const tones = [0, 1, 1000, 1001, 3000, 3001, 5000, 5001].map(responseTone);
  expect(tones).toEqual([
    "neutral",
    "success",
    "success",
    "fair",
    "fair",
    "warning",
    "warning",
    "danger",
  ]);
});

test("times are shown short", () => {
  expect([showMs(420), showMs(999.6), showMs(1234)]).toEqual(["420 ms", "1000 ms", "1.23 s"]);
});

test("O-195: reason and time are read; a text that is not JSON has neither", () => {
  expect(readStatusInfo('{"status_reason":"401","status_time":9}')).toEqual({
    reason: "401",
    time: 9,
  });
  expect(readStatusInfo("")).toEqual({ reason: "", time: 0 });
  expect(readStatusInfo('{"status_time":"x"}')).toEqual({ reason: "", time: 0 });
});
