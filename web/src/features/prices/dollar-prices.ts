/** Converts prices as providers publish them, in US dollars per million tokens, to ratios. */

import { decimalPlacesMax, scaled } from "@tollgate/contract/money/decimals.ts";
import { parseDecimal } from "@tollgate/contract/endpoints/prices.ts";

const million = 1_000_000n;

/**
 * Computes the model ratio at which a million tokens cost `dollars`, rounded to the decimal places
 * of a ratio. If `over` is the model ratio, the result is the completion ratio. Undefined:
 * `dollars` is not an amount, or there would be a division by zero.
 */
export function ratioOf(dollars: string, quotaPerUnit: string, over = "1"): string | undefined {
  const amount = parseDecimal(dollars);
  const base = parseDecimal(over);
  if (!amount.ok || !base.ok) return undefined;
  const above = scaled(amount.value) * scaled(quotaPerUnit);
  const below = million * scaled(base.value);
  if (below === 0n) return undefined;
  const digits = String((2n * above + below) / (2n * below)).padStart(decimalPlacesMax + 1, "0");
  const part = digits.slice(-decimalPlacesMax).replace(/0+$/, "");
  return digits.slice(0, -decimalPlacesMax) + (part === "" ? "" : `.${part}`);
}
