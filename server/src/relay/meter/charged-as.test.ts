import { expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { chargedAs } from "./charged-as.ts";
import type { Counted } from "./count.ts";

// Safe cast: of the bounds only the tier is read.
const sent = { input: 1, inputMax: 1, output: 1, tier: "default" } as never;

function charged(beside: number, inUsage: number) {
  const usage = { ...noUsage, input: 5, ...(inUsage === 0 ? {} : { searches: inUsage }) };
  const counted: Counted = { usage, source: "upstream", doubt: "", hiddenOutput: false, seen: 0 };
  return chargedAs({ sent, minute: undefined }, { tier: "", searches: beside }, counted).usage;
}

test("searches are charged whether an answer tells them in its usage or beside it, the larger number once", () => {
  expect(charged(3, 0)).toMatchObject({ input: 5, searches: 3 });
  expect(charged(0, 2)).toMatchObject({ input: 5, searches: 2 });
  expect(charged(3, 2)).toMatchObject({ searches: 3 });
  expect(charged(0, 0).searches).toBeUndefined();
});
