/**
 * Reads option `LongContextPrices` as people and programs write it: factors may be numbers or
 * decimal text. What is charged by it is in `charge.ts`.
 */

import { z } from "zod";
import type { LongContext } from "./charge.ts";
import { isAboveZero } from "./field-schemas.ts";
import { modelNameMax, nameRule, parseDecimal, type Parsed } from "./prices.ts";

export type LongContextPrices = Readonly<Record<string, LongContext>>;

const modelsMax = 1_000;

/** The largest number of tokens that any call is believed to have. */
export const longContextMax = 10_000_000;

/** The largest factor; a larger one is a slip of the keyboard. */
export const longContextFactorMax = 1_000;

const notJson = { ok: false, message: "不是合法的 JSON 字符串" } as const;

/** Reads the parsed JSON of the option, or says which model has a wrong value and what it must be. */
export function readLongContexts(sent: unknown): Parsed<LongContextPrices> {
  if (!isObject(sent)) return notJson;
  const entries = Object.entries(sent);
  if (entries.length > modelsMax) return { ok: false, message: `最多 ${modelsMax} 个模型` };
  const prices: Record<string, LongContext> = {};
  for (const [model, of] of entries) {
    if (model === "" || model.trim() !== model || model.length > modelNameMax) {
      return { ok: false, message: `${nameRule}：${model.slice(0, 40)}` };
    }
    const read = readLongContext(model, of);
    if (!read.ok) return read;
    prices[model] = read.value;
  }
  return { ok: true, value: prices };
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
  const [input, output] = [readLongContextFactor(ratio), readLongContextFactor(completion)];
  if (input === undefined) return wrongFactor(model, "ratio");
  if (output === undefined) return wrongFactor(model, "completion");
  return { ok: true, value: { above, ratio: input, completion: output } };
}

function wrongFactor(model: string, name: string): Parsed<never> {
  const max = longContextFactorMax;
  return { ok: false, message: `${model} 的 ${name} 必须大于 0，不超过 ${max}，小数最多 12 位` };
}

/** Whether calls can be long above this number of tokens. */
export function isLongContextAbove(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longContextMax;
}

/** Reads a factor; undefined: it is none. */
export function readLongContextFactor(sent: unknown): string | undefined {
  if (typeof sent !== "number" && typeof sent !== "string") return undefined;
  const read = parseDecimal(String(sent));
  const isFactor = read.ok && isAboveZero(read.value) && Number(read.value) <= longContextFactorMax;
  return isFactor ? read.value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
