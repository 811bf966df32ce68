import { expect, test } from "bun:test";
import { openOverload, tickMs } from "./overload.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

/**
 * Simulates these timer ticks, each `lateMs` late, then returns which share of 1,000 calls is shed.
 */
function shareAfter(ticks: readonly { readonly count: number; readonly lateMs: number }[]): number {
  let nowMs = 0;
  const overload = openOverload(nowMs);
  for (const { count, lateMs } of ticks) {
    for (let tick = 0; tick < count; tick += 1) {
      nowMs += tickMs + lateMs;
      overload.tick(nowMs);
    }
  }
  const calls = Array.from({ length: 1_000 }, () => overload.shedsLoad());
  return calls.filter(Boolean).length / calls.length;
}

test("no call is shed while the event loop is on time, nor during a burst of half a second", () => {
  expect(shareAfter([{ count: 100, lateMs: 5 }])).toBe(0);
  expect(
    shareAfter([
      { count: 4, lateMs: 120 },
      { count: 4, lateMs: 0 },
    ]),
  ).toBe(0);
});

test("the longer the overload, the more calls are shed, but never all", () => {
  const short = shareAfter([{ count: 13, lateMs: 300 }]);
  const long = shareAfter([{ count: 50, lateMs: 300 }]);
  expect(short).toBeGreaterThan(0.2);
  expect(long).toBeGreaterThan(short);
  expect(long).toBeLessThan(1);
});

test("two seconds after the overload no call is shed", () => {
  expect(
    shareAfter([
      { count: 50, lateMs: 300 },
      { count: 2_000 / tickMs, lateMs: 0 },
    ]),
  ).toBe(0);
});

test("P-L1: a shed call gets `retry-after`, holds nothing and costs nothing", async () => {
  const channel = testChannel({ baseUrl: "http://127.0.0.1:1" });
  const relay = openTestRelay({ channels: [channel], shedsLoad: () => true });
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
