/** Money as text, in the form of a language: `¥73.00`, `$10.00`. */

import { currencyDigits } from "@tollgate/contract/money/money.ts";

/** Writes whole minor units of a currency. */
export function showMoney(minor: number, currency: string, language: string): string {
  const value = minor / 10 ** currencyDigits(currency);
  return new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
  }).format(value);
}
