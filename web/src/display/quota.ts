/**
 * Quota as text. Only this file converts quota units to money for display; charges are computed in
 * the contract's `charge.ts`.
 */

import { scaled } from "@tollgate/contract/money/decimals.ts";

export type QuotaDisplay = {
  /** Quota units per US dollar. */
  readonly quotaPerUnit: number;
  readonly inCurrency: boolean;
};

/**
 * Writes an amount as text: `$1.23`, `$0.014`, `$0.000162` (four significant digits below a
 * dollar), or `1,234` if the server shows quota units.
 */
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
 * Writes an amount in short form, for figures whose exact value is shown next to them: units from
 * 10,000 on as `12.3k`, `4.5M`, `6B`.
 */
export function showQuotaShort(quota: number, display: QuotaDisplay): string {
  return display.inCurrency ? showQuota(quota, display) : showShort(quota);
}

/**
 * The specification's abbreviations: `one` is the number that a letter stands for, `from` the
 * smallest count that is abbreviated with it.
 */
const letters = [
  { letter: "B", one: 1e9, from: 1e9 },
  { letter: "M", one: 1e6, from: 1e6 },
  { letter: "k", one: 1e3, from: 1e4 },
] as const;

/**
 * Shortens a count to one decimal place, cut off and not rounded up, so that a balance never looks
 * larger than it is.
 */
function showShort(count: number): string {
  const size = Math.abs(count);
  const step = letters.find(({ from }) => size >= from);
  if (step === undefined) return String(count);
  const tenths = Math.floor(size / (step.one / 10));
  return `${count < 0 ? "-" : ""}${tenths / 10}${step.letter}`;
}

/**
 * Writes an amount with every digit, at least two of them after the point: `$1.99958`, or `1,234`
 * if the server shows quota units. For statements, whose amounts add up.
 */
export function showQuotaInFull(quota: number, display: QuotaDisplay): string {
  if (!display.inCurrency) return quota.toLocaleString("en-US");
  const [whole = "", part = ""] = exactDollars(Math.abs(quota), display.quotaPerUnit).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return `${quota < 0 ? "-" : ""}$${grouped}.${part.padEnd(2, "0")}`;
}

/**
 * Writes an amount with every digit, for the tooltip of a rounded figure: dollars, then quota
 * units, such as `$0.000162 · 81`.
 */
export function showQuotaExactly(quota: number, display: QuotaDisplay): string {
  return `$${exactDollars(quota, display.quotaPerUnit)} · ${quota.toLocaleString("en-US")}`;
}

/**
 * Writes quota as dollars with up to twelve decimal places, computed in integers because floats are
 * inexact.
 */
function exactDollars(quota: number, quotaPerUnit: number): string {
  const units = scaled(String(quotaPerUnit));
  if (units === 0n) return "–";
  const size = (BigInt(Math.abs(quota)) * 10n ** 24n) / units;
  const digits = String(size).padStart(13, "0");
  const part = digits.slice(-12).replace(/0+$/, "");
  return `${quota < 0 ? "-" : ""}${digits.slice(0, -12)}${part === "" ? "" : `.${part}`}`;
}
