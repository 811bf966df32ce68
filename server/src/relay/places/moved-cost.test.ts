import { expect, test } from "bun:test";
import { noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { testPrices } from "#relay/testing/prices.ts";
import { cameAgain, lostByMoving } from "./moved-cost.ts";

const prices = {
  ...testPrices,
  CacheRatio: { m: "0.1" },
  CreateCacheRatio: { m: "1.25" },
  CreateCacheRatio1h: { m: "2" },
};
const price = unitPrice(prices, "m", "default");
if (price === undefined) throw new Error("m has no price");
const ofOpenai = { upstreamId: "openai-chat" } as const;
const ofAnthropic = { upstreamId: "anthropic-messages" } as const;
const half = { cameAgain: 0.5, price };

test("what came again and was not found in a cache is what a move costs, at the difference of both prices", () => {
  const usage = { ...noUsage, input: 10_000 };
  // 5,000 tokens at 2 instead of 0.2 quota units.
  expect(lostByMoving({ ...half, way: ofOpenai }, usage)).toBe(9_000);
  const found = { ...noUsage, input: 6_000, cacheRead: 4_000 };
  expect(lostByMoving({ ...half, way: ofOpenai }, found)).toBe(1_800);
  expect(lostByMoving({ ...half, way: ofOpenai }, { ...found, cacheRead: 9_000 })).toBe(0);
  // Caches have blocks, and bytes are not tokens.
  expect(lostByMoving({ ...half, way: ofOpenai }, { ...found, cacheRead: 5_500 })).toBe(0);
  expect(lostByMoving({ price, way: ofOpenai, cameAgain: 0 }, usage)).toBe(0);
});

test("a prompt that no provider caches, because it is short, loses nothing", () => {
  expect(lostByMoving({ ...half, way: ofOpenai }, { ...noUsage, input: 2_000 })).toBe(0);
});

test("where only marked prompts are cached, what was written once more is lost and nothing else", () => {
  const unmarked = { ...noUsage, input: 10_000 };
  expect(lostByMoving({ ...half, way: ofAnthropic }, unmarked)).toBe(0);
  const written = { ...noUsage, input: 1_000, cacheWrite5m: 9_000 };
  // 5,000 tokens at 2.5 instead of 0.2.
  expect(lostByMoving({ ...half, way: ofAnthropic }, written)).toBe(11_500);
  const both = { ...noUsage, cacheWrite5m: 2_000, cacheWrite1h: 8_000 };
  expect(lostByMoving({ ...half, way: ofAnthropic }, both)).toBe(2_000 * 2.3 + 3_000 * 3.8);
});

test("what the last answer and the new question take is new, in each format", () => {
  const old = "x".repeat(1_000);
  const bodies = [
    {
      messages: [
        { role: "user", content: old },
        { role: "assistant", content: "a" },
      ],
    },
    {
      input: [
        { role: "user", content: old },
        { type: "function_call", name: "t" },
      ],
    },
    {
      contents: [
        { role: "user", parts: [{ text: old }] },
        { role: "model", parts: [] },
      ],
    },
  ];
  for (const body of bodies) {
    const share = cameAgain(Buffer.from(JSON.stringify(body)));
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThan(1);
  }
  const first = { messages: [{ role: "user", content: old }] };
  expect(cameAgain(Buffer.from(JSON.stringify(first)))).toBe(0);
  expect(cameAgain(new Uint8Array())).toBe(0);
});
