/** Converts quota of a source, whose units may be worth more or less than those here, exactly. */

import { ForeignError } from "#db/foreign.ts";
import { RowFault } from "./values.ts";

export type Convert = (column: string, amount: number) => number;

/**
 * @param theirs how many units are a dollar there, `ours` here.
 * @throws ForeignError if the two cannot be compared.
 * @returns a function that throws a `RowFault` for an amount that is no whole number of units here.
 */
export function openConvert(theirs: number, ours: number): Convert {
  if (theirs === ours) return (_, amount) => amount;
  if (!Number.isSafeInteger(theirs) || !Number.isSafeInteger(ours)) {
    const what = `a dollar is ${theirs} quota units there and ${ours} here`;
    throw new ForeignError(`Amounts cannot be converted: ${what}, and these are no whole numbers.`);
  }
  return (column, amount) => {
    const product = BigInt(amount) * BigInt(ours);
    const by = BigInt(theirs);
    const result = Number(product / by);
    if (product % by !== 0n) throw new RowFault(column, "is no whole number of quota units here");
    if (!Number.isSafeInteger(result)) throw new RowFault(column, "is too large");
    return result;
  };
}
