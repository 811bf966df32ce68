import { expect, test } from "bun:test";
import { openDatabaseTime } from "./database-time.ts";

const hourMs = 3_600_000;

/** A node whose own clock is an hour behind the database's. */
function open() {
  const clock = { elapsedMs: 1_000, databaseMs: 1_800_000_000_000 };
  const time = openDatabaseTime(
    () => clock.elapsedMs,
    () => clock.databaseMs - hourMs,
  );
  const pass = (ms: number): void => {
    clock.elapsedMs += ms;
    clock.databaseMs += ms;
  };
  const beat = (roundTripMs: number): void => {
    const fromMs = clock.elapsedMs;
    pass(roundTripMs / 2);
    const atMs = clock.databaseMs;
    pass(roundTripMs / 2);
    time.note(atMs, { fromMs, untilMs: clock.elapsedMs });
  };
  return { clock, time, pass, beat };
}

test("a node takes the database's time, however wrong its own clock is", () => {
  const { clock, time, pass, beat } = open();
  expect(time.now()).toBe(clock.databaseMs - hourMs);
  beat(10);
  expect(time.now()).toBe(clock.databaseMs);
  pass(5_000);
  expect(time.now()).toBe(clock.databaseMs);
});

test("slow answers do not move the time, and a database whose clock was set does", () => {
  const { clock, time, beat } = open();
  beat(10);
  clock.elapsedMs += 1_500;
  clock.databaseMs += 1_500;
  const before = time.now();
  time.note(clock.databaseMs, { fromMs: clock.elapsedMs - 1_500, untilMs: clock.elapsedMs });
  expect(time.now()).toBe(before);
  clock.databaseMs += hourMs;
  beat(10);
  expect(time.now()).toBe(clock.databaseMs);
});
