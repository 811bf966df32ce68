/** Prices as providers publish them, in US dollars a million tokens, turned into ratios. */

import { decimalPlacesMax, scaled } from "@tollgate/contract/charge.ts";
import { parseDecimal } from "@tollgate/contract/prices.ts";

const million = 1_000_000n;

/**
 * The ratio at which a million tokens cost `dollars`, rounded to the last digit of a ratio. With
 * `over`, the model ratio, it is the completion ratio. Undefined: no amount, or a division by zero.
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
