/** What a change does to the prices of a model, line by line. */

import type { BookPrices } from "@tollgate/contract/money/price-book.ts";
import type { T } from "#i18n/t.ts";
import type { ChangeLine } from "#ui/table/ChangeList.tsx";
import { bookLines } from "./book-lines.ts";

/** Returns a line for each price that differs. */
export function changedLines(
  before: BookPrices | undefined,
  after: BookPrices | undefined,
  t: T,
): ChangeLine[] {
  const textsOf = (prices: BookPrices | undefined): ReadonlyMap<string, string> =>
    new Map(
      (prices === undefined ? [] : bookLines(prices, t)).map(({ name, text }) => [name, text]),
    );
  return linesBetween(textsOf(before), textsOf(after));
}

/** Returns a line for each name whose texts differ. */
export function linesBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): ChangeLine[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((line) => line.before !== line.after);
}
