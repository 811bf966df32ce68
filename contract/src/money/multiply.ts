/** Prices of the price book, times a factor. */

import { scaled, unscaled } from "./decimals.ts";
import { type BookPrices, one, type TokenDollars } from "./price-book.ts";

/** Multiplies each price by a factor; undefined: a product has too many digits. */
export function multiplied(prices: BookPrices, factor: string): BookPrices | undefined {
  let isExact = true;
  const times = (dollars: string): string => {
    const product = scaled(dollars) * scaled(factor);
    isExact &&= product % one === 0n;
    return unscaled(product / one);
  };
  const all = (of: TokenDollars): TokenDollars =>
    Object.fromEntries(Object.entries(of).map(([bucket, dollars]) => [bucket, times(dollars)]));
  const { perCall, tokens, steps, tiers, hours, searches } = prices;
  const made: BookPrices = {
    ...(perCall === undefined ? {} : { perCall: times(perCall) }),
    ...(tokens && { tokens: all(tokens) }),
    ...(steps && { steps: steps.map((step) => ({ ...step, tokens: all(step.tokens) })) }),
    ...(tiers && {
      tiers: Object.fromEntries(Object.entries(tiers).map(([tier, of]) => [tier, all(of)])),
    }),
    ...(hours && { hours: hours.map((window) => ({ ...window, tokens: all(window.tokens) })) }),
    ...(searches && {
      searches: Object.fromEntries(
        Object.entries(searches).map(([kind, dollars = "0"]) => [kind, times(dollars)]),
      ),
    }),
  };
  return isExact ? made : undefined;
}
