/** Quota as text: the one place that turns units into money. Charges are computed elsewhere. */

import { scaled } from "@tollgate/contract/charge.ts";

export type QuotaDisplay = {
  /** Units a dollar buys. */
  readonly quotaPerUnit: number;
  readonly inCurrency: boolean;
};

/** `$1.23`, `$0.014`, `$0.000162` (four significant digits below a dollar), or `1,234` units. */
export function showQuota(quota: number, display: QuotaDisplay): string {
  if (!display.inCurrency) return quota.toLocaleString("en-US");
  const dollars = quota / display.quotaPerUnit;
  const size = Math.abs(dollars);
  const sign = dollars < 0 ? "-" : "";
  if (size === 0) return "$0.00";
  if (size < 1) {
    const [whole, part = ""] = Number(size.toPrecision(4)).toFixed(12).split(".");
    return `${sign}$${whole}.${part.replace(/0+$/, "").padEnd(2, "0")}`;
  }
  const shown = size.toLocaleString("en-US", {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `${sign}$${shown}`;
}

/**
 * Short form where all digits are shown beside it: units from 10,000 on as `12.3k`, `4.5M`, `6B`.
 */
export function showQuotaShort(quota: number, display: QuotaDisplay): string {
  return display.inCurrency ? showQuota(quota, display) : showShort(quota);
}

/** The specification's letters: the number each means, and the amount from which on it is used. */
const letters = [
  { letter: "B", one: 1e9, from: 1e9 },
  { letter: "M", one: 1e6, from: 1e6 },
  { letter: "k", one: 1e3, from: 1e4 },
] as const;

/** One decimal place, cut off instead of rounded, so that it never shows more than there is. */
function showShort(count: number): string {
  const size = Math.abs(count);
  const step = letters.find(({ from }) => size >= from);
  if (step === undefined) return String(count);
  const tenths = Math.floor(size / (step.one / 10));
  return `${count < 0 ? "-" : ""}${tenths / 10}${step.letter}`;
}

/** Every digit, for the tooltip of a rounded figure: `$0.000162 · 81`. */
export function showQuotaExactly(quota: number, display: QuotaDisplay): string {
  return `$${exactDollars(quota, display.quotaPerUnit)} · ${quota.toLocaleString("en-US")}`;
}

/** Twelve decimal places, computed with whole numbers, because floats are not exact. */
function exactDollars(quota: number, quotaPerUnit: number): string {
  const units = scaled(String(quotaPerUnit));
  if (units === 0n) return "–";
  const size = (BigInt(Math.abs(quota)) * 10n ** 24n) / units;
  const digits = String(size).padStart(13, "0");
  const part = digits.slice(-12).replace(/0+$/, "");
  return `${quota < 0 ? "-" : ""}${digits.slice(0, -12)}${part === "" ? "" : `.${part}`}`;
}
