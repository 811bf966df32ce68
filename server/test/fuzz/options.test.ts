import { expect } from "bun:test";
import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { scaled } from "@tollgate/contract/money/decimals.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import {
  isOptionName,
  type OptionName,
  options,
  parseOption,
  showOption,
} from "@tollgate/contract/options/options.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";
import { fuzz, mutate } from "./fuzz.ts";

const names = Object.keys(options).filter(isOptionName);

const samples = [
  "true",
  "false",
  "15",
  "0.002",
  "https://example.com/logo.png",
  '{"gpt-4o": 1.25, "o1": "7.5"}',
  '{"default": "默认分组", "vip": "VIP"}',
  '[{"ChatGPT Next":"https://a.example/#/?settings={key}"}]',
  "one\ntwo\r\n\r\nthree",
  "",
];

fuzz("an option is refused, or kept as a text that reads back as the same value", (random) => {
  const name: OptionName = random.pick(names);
  const parsed = parseOption(name, mutate(random, samples));
  if (!parsed.ok) {
    expect(parsed.message).not.toBe("");
    return;
  }
  const text = showOption(name, parsed.value);
  const again = parseOption(name, text);
  expect(again).toEqual({ ok: true, value: parsed.value });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

const decimals = [
  "0",
  "1",
  "0.125",
  "15e-1",
  "2.50",
  "000.1",
  "123456789012345.123456789012",
  "1e-12",
  "7E+3",
];

fuzz(
  "a price is read as the decimal that was written, or refused; never as its neighbour",
  (random) => {
    const text = mutate(random, decimals);
    const parsed = parseDecimal(text);
    if (!parsed.ok) {
      expect(isPrice(text)).toBe(false);
      return;
    }
    // Both numbers × 10^12. The test computes its own by shifting digits, unlike the parser.
    expect<bigint | undefined>(scaled(parsed.value)).toBe(exactly(text.trim()));
    expect(parseDecimal(parsed.value)).toEqual(parsed);
    const list = { ...defaultPriceList, ModelRatio: { m: parsed.value }, ModelPrice: {} };
    const price = unitPrice(list, "m", "default");
    if (price === undefined) throw new Error("no price");
    expect(charge(price, { ...noUsage, input: 3 })).toBeGreaterThanOrEqual(0);
  },
);

const written = /^(-?)(\d{1,400})(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Returns the number × 10^12, computed by shifting its digits; undefined: it has over 12 decimal
 * places.
 */
function exactly(text: string): bigint | undefined {
  const [, , before = "", after = "", exponent = "0"] = written.exec(text) ?? [];
  const digits = BigInt(before + after);
  const shift = 12 - after.length + Number(exponent);
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** Whether a text is a decimal ≥ 0 with at most 15 digits before and 12 behind the point. */
function isPrice(text: string): boolean {
  const trimmed = text.trim();
  const match = written.exec(trimmed);
  if (match === null) return false;
  const value = exactly(trimmed);
  if (value === undefined || value >= 10n ** 27n) return false;
  return match[1] !== "-" || value === 0n;
}
