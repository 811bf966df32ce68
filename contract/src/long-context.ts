/**
 * Reads option `LongContextPrices` as people and programs write it: factors may be numbers or
 * decimal text. What is charged by it is in `charge.ts`.
 */

import { z } from "zod";
import type { LongContext } from "./charge.ts";
import { isObject, readByModel, readPriceFactor, wrongFactor } from "./price-factors.ts";
import type { Parsed } from "./prices.ts";

export type LongContextPrices = Readonly<Record<string, LongContext>>;

/** The largest number of tokens that any call is believed to have. */
export const longContextMax = 10_000_000;

/** Reads the parsed JSON of the option, or says which model has a wrong value and what it must be. */
export function readLongContexts(sent: unknown): Parsed<LongContextPrices> {
  return readByModel(sent, readLongContext);
}

export const longContextOption = z.unknown().transform((sent, context): LongContextPrices => {
  const read = readLongContexts(sent);
  if (read.ok) return read.value;
  context.addIssue({ code: "custom", message: read.message });
  return z.NEVER;
});

const names: ReadonlySet<string> = new Set(["above", "ratio", "completion"]);

function readLongContext(model: string, sent: unknown): Parsed<LongContext> {
  const isKnown = isObject(sent) && Object.keys(sent).every((name) => names.has(name));
  if (!isKnown) return { ok: false, message: `${model} 只能设置 above、ratio 和 completion` };
  const { above, ratio = 1, completion = 1 } = sent;
  if (!isLongContextAbove(above)) {
    return { ok: false, message: `${model} 的 above 必须是 1 到 ${longContextMax} 之间的整数` };
  }
  const [input, output] = [readPriceFactor(ratio), readPriceFactor(completion)];
  if (input === undefined) return wrongFactor(model, "ratio");
  if (output === undefined) return wrongFactor(model, "completion");
  return { ok: true, value: { above, ratio: input, completion: output } };
}

/** Whether calls can be long above this number of tokens. */
export function isLongContextAbove(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longContextMax;
}
