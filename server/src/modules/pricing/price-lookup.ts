import { type PriceList, type UnitPrice, unitPrice } from "@tollgate/contract/money/charge.ts";

/** The price of a model for a group; undefined if the model has none. */
type PriceLookup = (model: string, group: string) => UnitPrice | undefined;

/** A version of the price list. Different lists have different ids. */
type PriceVersion = { readonly id: number; readonly list: PriceList };

/**
 * Looks up prices in the present version of the price list, and caches them. Models without a price
 * are not cached.
 */
export function openPriceLookup(snapshot: { readonly prices: PriceVersion }): PriceLookup {
  let version = 0;
  let known = new Map<string, UnitPrice>();
  return (model, group) => {
    const { prices } = snapshot;
    if (prices.id !== version) {
      version = prices.id;
      known = new Map();
    }
    // Group names contain no line breaks, so no two pairs of group and model have the same key.
    const key = `${group}\n${model}`;
    const found = known.get(key) ?? unitPrice(prices.list, model, group);
    if (found !== undefined) known.set(key, found);
    return found;
  };
}
