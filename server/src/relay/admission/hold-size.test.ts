import { expect, test } from "bun:test";
import {
  charge,
  noUsage,
  type PriceList,
  type UnitPrice,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import {
  type AskedTier,
  chargedTier,
  type ServedTier,
} from "@tollgate/contract/money/service-tiers.ts";
import { affordableOutput, holdSize, inputBeyond, leastOf, outputCharge } from "./hold-size.ts";
import type { CallBounds } from "#relay/call/facts.ts";
import { testPrices } from "#relay/testing/prices.ts";

function priceOf(ratio: string, completion: string): UnitPrice {
  const list: PriceList = {
    ...testPrices,
    ModelRatio: { m: ratio },
    CompletionRatio: { m: completion },
  };
  const price = unitPrice(list, "m", "default");
  if (price?.kind !== "tokens") throw new Error("a price is missing");
  return price;
}

function boundsOf(input: number, output: number, isAsked: boolean): CallBounds {
  return { input, output, inputMax: input, searches: 1, tier: "default", isAsked };
}

function inBigInts(price: UnitPrice): UnitPrice {
  return price.kind === "call" ? price : { ...price, whole: null };
}

const ratios = ["1", "0.075", "1.25", "0.333", "4.35", "15", "0.000000000001", "1.000000000007"];
const holds = [0, 1, 7, 99, 1_000, 54_321, 500_000_000, 2 ** 52 + 1, 2 ** 53 - 1];
const inputs = [0, 1, 13, 4_096, 1_000_000, 2 ** 53 - 1];

test("a hold pays for as much output in numbers as in BigInts, up to the largest of them", () => {
  for (const ratio of ratios) {
    for (const completion of ["0", ...ratios]) {
      const price = priceOf(ratio, completion);
      const one = price.kind === "tokens" ? (price.whole?.divisor ?? 1) : 1;
      // Holds around the largest one that is computed in numbers.
      const most = Math.floor(Number.MAX_SAFE_INTEGER / one);
      for (const held of [...holds, most - 1, most, Math.min(most + 1, 2 ** 53 - 1)]) {
        for (const input of inputs) {
          const bounds = boundsOf(input, 5_000, input % 2 === 0);
          const asked = { price, bounds, held };
          const found = affordableOutput(price, bounds, held);
          expect({ ...asked, found }).toEqual({
            ...asked,
            found: affordableOutput(inBigInts(price), bounds, held),
          });
        }
      }
    }
  }
});

test("and as much is held for a call", () => {
  for (const ratio of ["0", ...ratios]) {
    const price = priceOf(ratio, "3.3");
    for (const input of inputs) {
      for (const output of inputs) {
        const bounds = boundsOf(input, output, true);
        expect(holdSize(price, bounds, true)).toEqual(holdSize(inBigInts(price), bounds, true));
      }
    }
  }
});

test("T25: a hold covers what a call costs whose prompt may be long, whichever price is higher", () => {
  for (const [ratio, completion] of [
    ["2", "1.5"],
    ["0.5", "0.25"],
    ["2", "0.5"],
    ["0.5", "3"],
  ] as const) {
    const LongContextPrices = { m: { above: 1_000, ratio, completion } };
    const price = unitPrice({ ...testPrices, LongContextPrices }, "m", "default");
    if (price === undefined) throw new Error("a price is missing");
    for (const most of [999, 1_000, 1_001, 5_000]) {
      const bounds = boundsOf(most, 500, false);
      const { want } = holdSize(price, bounds, false);
      const held = [1, 0.5].map((part) => Math.floor(want * part));
      for (const input of [1, 999, 1_000, 1_001, most].filter((count) => count <= most)) {
        const costs = (output: number) => charge(price, { ...noUsage, input, output });
        expect([ratio, most, input, want >= costs(500)]).toEqual([ratio, most, input, true]);
        // A stream gets no more output than its hold pays for, and each extension pays for its own.
        for (const amount of held) {
          const paid = Math.min(affordableOutput(price, bounds, amount), 500);
          if (paid > 0) expect(costs(paid)).toBeLessThanOrEqual(amount);
          const more = costs(paid + 100) - costs(paid);
          expect(outputCharge(price, bounds, 100)).toBeGreaterThanOrEqual(more);
        }
      }
    }
  }
});

test("T25: a prompt whose length nobody knows is held at the price of long ones", () => {
  const LongContextPrices = { m: { above: 200_000, ratio: "2", completion: "1.5" } };
  const price = unitPrice({ ...testPrices, LongContextPrices }, "m", "default");
  if (price === undefined) throw new Error("a price is missing");
  const bounds = boundsOf(100_010, 500, true);
  const short = 100_010 * 2 + 500 * 8;
  const long = 100_010 * 4 + 500 * 12;
  expect(holdSize(price, bounds, false).want).toBe(short);
  expect(holdSize(price, { ...bounds, inputMax: Infinity }, false).want).toBe(long);
  expect(outputCharge(price, { ...bounds, inputMax: Infinity }, 1_000)).toBe(12_000);
});

test("T25: a hold covers a call in every service tier that may serve it", () => {
  const price = unitPrice(testPrices, "tiered", "default");
  if (price === undefined) throw new Error("a price is missing");
  const asks: readonly AskedTier[] = ["auto", "default", "flex", "priority", "fast", "scale"];
  const says: readonly ServedTier[] = ["", "default", "flex", "priority", "fast", "batch"];
  for (const asked of asks) {
    const bounds = { ...boundsOf(1_000, 500, false), tier: asked };
    const { want } = holdSize(price, bounds, false);
    for (const served of says) {
      const tier = chargedTier(asked, served);
      const costs = (output: number): number =>
        charge(price, { ...noUsage, input: 1_000, output, ...(tier && { tier }) });
      expect([asked, served, want >= costs(500)]).toEqual([asked, served, true]);
      const paid = affordableOutput(price, bounds, Math.floor(want * 0.8));
      expect(costs(paid)).toBeLessThanOrEqual(Math.floor(want * 0.8));
      expect(outputCharge(price, bounds, 100)).toBeGreaterThanOrEqual(costs(200) - costs(100));
    }
  }
});

test("T33: a hold covers the searches of a call, and reasoning that costs more than output", () => {
  const price = unitPrice(
    {
      ...testPrices,
      SearchPrices: { m: { search: "10", call: "1", searchingCall: "2" } },
      TokenKindPrices: { m: { reasoning: "20" } },
    },
    "m",
    "default",
  );
  if (price === undefined) throw new Error("a price is missing");
  const most = { ...boundsOf(100, 50, true), searches: 10 };
  const used = { ...noUsage, input: 100, reasoning: 50 };
  const { want, least } = holdSize(price, most, true);
  expect(want).toBeGreaterThanOrEqual(charge(price, { ...used, searches: 10 }));
  expect(least).toBeGreaterThanOrEqual(charge(price, { ...noUsage, input: 100, searches: 10 }));
  // What is held for searches pays for no output, nor for a longer prompt.
  expect(affordableOutput(price, most, want)).toBe(50);
  expect(affordableOutput(price, most, want - 20)).toBe(49);
  expect(inputBeyond(price, most, { ...noUsage, input: 100 })).toBe(0);
  expect(outputCharge(price, most, 100)).toBe(2_000);
  const unasked = holdSize(price, { ...most, searches: 1 }, false).want;
  expect(unasked).toBe(charge(price, { ...used, searches: 1 }));
});

test("T33: a token is not used up while an hour's price lets a call begin", () => {
  const night = { from: "22:00", until: "06:00", ratio: "0.5", cache: "0.5", completion: "0.5" };
  const usual = unitPrice(testPrices, "m", "default");
  const hourly = unitPrice({ ...testPrices, HourPrices: { m: [night] } }, "m", "default");
  if (usual === undefined || hourly === undefined) throw new Error("a price is missing");
  expect(leastOf(hourly, "m")).toBe(leastOf(usual, "m") / 2);
});
