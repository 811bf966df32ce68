/** Decimals of at least 0 as text, such as ratios and prices, and as exact whole numbers. */

import { z } from "zod";
import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";

/** The largest number of digits after the decimal point of a ratio or price. */
export const decimalPlacesMax = 12;

/** A decimal ≥ 0 as text without exponent, e.g. `0.125`. */
export const decimalText = z.string().regex(/^\d{1,15}(\.\d{1,12})?$/);

/** A decimal > 0. With a factor of 0, the price of an input token would no longer say what is free. */
export const factorText = decimalText.regex(/[1-9]/);

const scale = 10n ** BigInt(decimalPlacesMax);

/** Converts decimal text to a whole number of units of 10^−12. */
export function scaled(decimal: string): bigint {
  const [whole = "0", part = ""] = decimal.split(".");
  return BigInt(whole) * scale + BigInt(part.padEnd(decimalPlacesMax, "0"));
}

/** Writes a whole number of units of 10^−12 as decimal text. */
export function unscaled(units: bigint): string {
  const digits = String(units).padStart(decimalPlacesMax + 1, "0");
  const part = trimEndOf(digits.slice(-decimalPlacesMax), "0");
  return digits.slice(0, -decimalPlacesMax) + (part === "" ? "" : `.${part}`);
}

/** A quotient, exact or rounded half up to 12 places. */
export type Quotient = { readonly text: string; readonly isExact: boolean };

/** Divides a whole number of units of 10^−12 by a whole number above 0. */
export function divide(units: bigint, by: bigint): Quotient {
  return { text: unscaled((2n * units + by) / (2n * by)), isExact: units % by === 0n };
}
