import { expect, test } from "bun:test";
import { openOverload, tickMs } from "./overload.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

/** Ticks so often, each so late; the share of 1,000 calls that is turned away then. */
function shareAfter(ticks: readonly { readonly count: number; readonly lateMs: number }[]): number {
  let nowMs = 0;
  const overload = openOverload(nowMs);
  for (const { count, lateMs } of ticks) {
    for (let tick = 0; tick < count; tick += 1) {
      nowMs += tickMs + lateMs;
      overload.tick(nowMs);
    }
  }
  const calls = Array.from({ length: 1_000 }, () => overload.turnsAway());
  return calls.filter(Boolean).length / calls.length;
}

test("nobody is turned away while answers are in time, nor for a burst that is over in half a second", () => {
  expect(shareAfter([{ count: 100, lateMs: 5 }])).toBe(0);
  expect(
    shareAfter([
      { count: 4, lateMs: 120 },
      { count: 4, lateMs: 0 },
    ]),
  ).toBe(0);
});

test("the longer the rush, the more are turned away, but never all", () => {
  const short = shareAfter([{ count: 13, lateMs: 300 }]);
  const long = shareAfter([{ count: 50, lateMs: 300 }]);
  expect(short).toBeGreaterThan(0.2);
  expect(long).toBeGreaterThan(short);
  expect(long).toBeLessThan(1);
});

test("a rush that is over is over: two seconds later all are served", () => {
  expect(
    shareAfter([
      { count: 50, lateMs: 300 },
      { count: 2_000 / tickMs, lateMs: 0 },
    ]),
  ).toBe(0);
});

test("P-L1: a call that is turned away is told when to come back, holds nothing and costs nobody", async () => {
  const channel = testChannel({ baseUrl: "http://127.0.0.1:1" });
  const relay = openTestRelay({ channels: [channel], turnsAway: () => true });
  const answer = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  });

  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(await answer.json()).toMatchObject({ error: { code: "server_overloaded" } });
  expect(relay.money).toMatchObject({ held: 0, released: 0, settled: [] });
  await relay.stop();
});
