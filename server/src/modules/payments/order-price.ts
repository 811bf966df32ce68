/** What an order costs and credits. Computed once, when the order is created. */

import { decimalPlacesMax, scaled } from "@tollgate/contract/money/decimals.ts";
import { currencyDigits } from "@tollgate/contract/money/money.ts";

type PriceTerms = {
  /** What the user asks for: dollars, or quota units where screens show these. */
  readonly amount: number;
  /** Whether `amount` is in dollars. */
  readonly inDollars: boolean;
  readonly currency: string;
  /** Decimal texts: the price of a dollar of quota, and the factors of group and amount. */
  readonly price: string;
  readonly groupRatio: string;
  readonly discount: string;
  /** Quota units of a dollar. */
  readonly quotaPerUnit: string;
};

type OrderPrice = {
  /** Whole minor units of the currency. */
  readonly money: bigint;
  readonly quota: bigint;
};

const scale = 10n ** BigInt(decimalPlacesMax);

/** Computes both amounts exactly, and rounds each once, half up. */
export function priceOf(terms: PriceTerms): OrderPrice {
  const amount = BigInt(terms.amount);
  const perUnit = scaled(terms.quotaPerUnit);
  const minor = 10n ** BigInt(currencyDigits(terms.currency));
  const rate = scaled(terms.price) * scaled(terms.groupRatio) * scaled(terms.discount);
  if (terms.inDollars) {
    return {
      money: halfUp(amount * minor * rate, scale ** 3n),
      quota: halfUp(amount * perUnit, scale),
    };
  }
  return { money: halfUp(amount * minor * rate, perUnit * scale ** 2n), quota: amount };
}

/** The smallest amount that may be ordered, from option `MinTopUp`, which is in dollars. */
export function leastAmount(minTopUp: number, quotaPerUnit: string, inDollars: boolean): number {
  return inDollars ? minTopUp : Math.ceil(minTopUp * Number(quotaPerUnit));
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}
