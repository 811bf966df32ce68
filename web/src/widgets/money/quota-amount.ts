/** Converts typed dollar amounts to whole quota units and back, without floating point. */

import type { QuotaDisplay } from "#display/quota.ts";

/** The largest amount that is accepted, in quota units. */
export const quotaMax = Number.MAX_SAFE_INTEGER;

/** Decimal places of a dollar amount, more than the smallest quota unit in use needs. */
const decimals = 12;

/**
 * Reads a typed amount as whole quota units. Null: the text is empty; NaN: it is no amount, or more
 * than `quotaMax`. A dollar sign and thousands separators are allowed.
 */
export function readQuota(text: string, display: QuotaDisplay): number | null {
  const plain = text.replaceAll(/[\s,，_]/g, "").replace(/^([-+]?)[$＄]/, "$1");
  if (plain === "") return null;
  const parts = /^([-+]?)(\d*)(?:\.(\d*))?$/.exec(plain);
  if (parts === null || !/\d/.test(plain)) return Number.NaN;
  const [, sign, wholes = "", tenths = ""] = parts;
  const scale = 10n ** BigInt(tenths.length);
  const amount = BigInt(wholes + tenths);
  // Typed dollars are rounded to the nearest unit; a typed count of units loses its decimals.
  const perUnit = display.inCurrency ? decimalOf(display.quotaPerUnit) : { digits: 1n, scale: 1n };
  const product = amount * perUnit.digits;
  const divisor = scale * perUnit.scale;
  const units = display.inCurrency ? (2n * product + divisor) / (2n * divisor) : product / divisor;
  if (units > BigInt(quotaMax)) return Number.NaN;
  return sign === "-" ? -Number(units) : Number(units);
}

/**
 * Writes an amount as text for an input, such as `1.5` or `0.000002`; `readQuota` reads it back as
 * the same number of units.
 */
export function quotaAmount(quota: number, display: QuotaDisplay): string {
  if (!Number.isSafeInteger(quota)) return "";
  if (!display.inCurrency) return String(quota);
  const perUnit = decimalOf(display.quotaPerUnit);
  const size = BigInt(Math.abs(quota)) * perUnit.scale * 10n ** BigInt(decimals);
  const digits = ((2n * size + perUnit.digits) / (2n * perUnit.digits))
    .toString()
    .padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const dollars = digits.slice(0, -decimals);
  return `${quota < 0 ? "-" : ""}${dollars}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * Reads a positive number as a fraction: its digits as an integer, over a power of ten (`scale`).
 */
function decimalOf(value: number): { readonly digits: bigint; readonly scale: bigint } {
  if (Number.isInteger(value)) return { digits: BigInt(value), scale: 1n };
  const [whole = "", fraction = ""] = value.toFixed(decimals).replace(/0+$/, "").split(".");
  return { digits: BigInt(whole + fraction), scale: 10n ** BigInt(fraction.length) };
}
