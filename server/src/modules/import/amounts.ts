/** Converts quota of a source, whose units may be worth more or less than those here, exactly. */

import { RowFault } from "./values.ts";

export type Convert = (column: string, amount: number) => number;

/**
 * @param theirs how many units are a dollar there, `ours` here.
 * @returns a function that throws a `RowFault` for an amount that is no whole number of units here.
 */
export function openConvert(theirs: number, ours: number): Convert {
  if (theirs === ours) return (_, amount) => amount;
  return (column, amount) => {
    const product = BigInt(amount) * BigInt(ours);
    const by = BigInt(theirs);
    const result = Number(product / by);
    if (product % by !== 0n) throw new RowFault(column, "is no whole number of quota units here");
    if (!Number.isSafeInteger(result)) throw new RowFault(column, "is too large");
    return result;
  };
}
