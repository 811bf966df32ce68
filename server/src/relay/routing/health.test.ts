import { expect, test } from "bun:test";
import { cooldownMsMax, ejectionMs, ejectionMsMax } from "./circuit.ts";
import { type Health, openHealth } from "./health.ts";

type Clocked = { readonly health: Health; pass(ms: number): void; now(): number };

function open(): Clocked {
  let nowMs = 1_000;
  return {
    health: openHealth(() => nowMs),
    pass(ms) {
      nowMs += ms;
    },
    now: () => nowMs,
  };
}

function attempt(
  health: Health,
  outcome: "answered" | "failed",
  retryAfterMs: number | null = null,
) {
  health.started(1);
  health.ended(1, outcome === "failed" ? { kind: "failed", retryAfterMs } : { kind: "answered" });
}

test("a channel that asks for a pause gets a cooldown, of a minute at most", () => {
  const { health, pass } = open();
  attempt(health, "failed", 3_600_000);

  expect(health.blockOf(1)?.kind).toBe("cooldown");
  pass(cooldownMsMax - 1);
  expect(health.blockOf(1)?.kind).toBe("cooldown");
  pass(1);
  expect(health.blockOf(1)).toBeNull();
  expect(health.anyBlocked()).toBe(false);
});

test("five failures in a row eject a channel, four and a success do not", () => {
  const { health } = open();
  for (let count = 0; count < 4; count += 1) attempt(health, "failed");
  attempt(health, "answered");
  for (let count = 0; count < 4; count += 1) attempt(health, "failed");
  expect(health.blockOf(1)).toBeNull();

  attempt(health, "failed");
  expect(health.blockOf(1)?.kind).toBe("ejected");
  expect(health.ejectedCount()).toBe(1);
});

// Counting only failures in a row would never eject a channel that fails every second call.
test("a channel that fails half of its calls is ejected though it never fails five in a row", () => {
  const { health } = open();
  for (let count = 0; count < 10; count += 1) {
    expect(health.blockOf(1)).toBeNull();
    attempt(health, "answered");
    attempt(health, "failed");
  }
  expect(health.blockOf(1)?.kind).toBe("ejected");
});

test("a channel that fails now and then stays", () => {
  const { health } = open();
  for (let count = 0; count < 200; count += 1) {
    attempt(health, count % 4 === 0 ? "failed" : "answered");
    expect(health.blockOf(1)).toBeNull();
  }
});

test("after an ejection one call probes the channel, and the others wait for it", () => {
  const { health, pass } = open();
  for (let count = 0; count < 5; count += 1) attempt(health, "failed");
  pass(ejectionMs);

  expect(health.blockOf(1)).toBeNull();
  health.started(1);
  expect(health.blockOf(1)?.kind).toBe("probing");
  health.ended(1, { kind: "answered" });
  expect(health.blockOf(1)).toBeNull();
});

test("a cancelled probe proves nothing: the next call probes again", () => {
  const { health, pass } = open();
  for (let count = 0; count < 5; count += 1) attempt(health, "failed");
  pass(ejectionMs);
  health.started(1);
  health.ended(1, { kind: "unknown" });

  expect(health.blockOf(1)).toBeNull();
  health.started(1);
  expect(health.blockOf(1)?.kind).toBe("probing");
});

test("each further ejection lasts longer, up to five minutes, until a good period resets it", () => {
  const { health, pass, now } = open();
  for (let count = 0; count < 5; count += 1) attempt(health, "failed");
  const lasts = [];
  for (let round = 0; round < 12; round += 1) {
    const until = health.blockOf(1)?.until ?? 0;
    lasts.push(until - now());
    pass(until - now());
    attempt(health, "failed");
  }
  expect(lasts.slice(0, 3)).toEqual([ejectionMs, 2 * ejectionMs, 3 * ejectionMs]);
  expect(lasts.at(-1)).toBe(ejectionMsMax);

  pass((health.blockOf(1)?.until ?? 0) - now());
  attempt(health, "answered");
  pass(ejectionMsMax);
  for (let count = 0; count < 5; count += 1) attempt(health, "failed");
  expect((health.blockOf(1)?.until ?? 0) - now()).toBe(ejectionMs);
});

test("an answer to a call sent before the ejection does not end it", () => {
  const { health } = open();
  health.started(1);
  for (let count = 0; count < 5; count += 1) attempt(health, "failed");
  health.ended(1, { kind: "answered" });

  expect(health.blockOf(1)?.kind).toBe("ejected");
});

test("P-U8: retries are limited to a tenth of a channel's calls plus three a second", () => {
  const { health, pass } = open();
  while (health.mayRetry(1)) continue; // use up the saved retries
  for (let count = 0; count < 50; count += 1) health.started(1);
  let granted = 0;
  while (health.mayRetry(1)) granted += 1;
  expect(granted).toBe(5);

  pass(1_000);
  while (health.mayRetry(1)) granted += 1;
  expect(granted).toBe(8);

  pass(3_600_000);
  granted = 0;
  while (health.mayRetry(1)) granted += 1;
  expect(granted).toBe(10);
});

test("P-D5: the state of a deleted channel is dropped", () => {
  const { health } = open();
  for (let count = 0; count < 5; count += 1) attempt(health, "failed");
  health.keep(() => false);

  expect(health.blockOf(1)).toBeNull();
  expect(health.anyBlocked()).toBe(false);
});
