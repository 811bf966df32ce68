/** Reads options with factors of prices by model: factors may be numbers or decimal text. */

import { isAboveZero } from "@tollgate/contract/fields/field-schemas.ts";
import {
  modelNameMax,
  nameRule,
  parseDecimal,
  type Parsed,
} from "@tollgate/contract/endpoints/prices.ts";

const modelsMax = 1_000;

/** The largest factor; a larger one is a slip of the keyboard. */
export const priceFactorMax = 1_000;

const notJson = { ok: false, message: "不是合法的 JSON 字符串" } as const;

/** Reads the parsed JSON of an option, or says which model has a wrong value and what it must be. */
export function readByModel<Value>(
  sent: unknown,
  read: (model: string, of: unknown) => Parsed<Value>,
): Parsed<Readonly<Record<string, Value>>> {
  if (!isObject(sent)) return notJson;
  const entries = Object.entries(sent);
  if (entries.length > modelsMax) return { ok: false, message: `最多 ${modelsMax} 个模型` };
  const prices: Record<string, Value> = {};
  for (const [model, of] of entries) {
    if (model === "" || model.trim() !== model || model.length > modelNameMax) {
      return { ok: false, message: `${nameRule}：${model.slice(0, 40)}` };
    }
    const value = read(model, of);
    if (!value.ok) return value;
    prices[model] = value.value;
  }
  return { ok: true, value: prices };
}

/** Reads a factor; undefined: it is none. */
export function readPriceFactor(sent: unknown): string | undefined {
  if (typeof sent !== "number" && typeof sent !== "string") return undefined;
  const read = parseDecimal(String(sent));
  const isFactor = read.ok && isAboveZero(read.value) && Number(read.value) <= priceFactorMax;
  return isFactor ? read.value : undefined;
}

/** Says what a factor must be. `of`: the model, and what of it the factor belongs to. */
export function wrongFactor(of: string, name: string): Parsed<never> {
  const max = priceFactorMax;
  return { ok: false, message: `${of} 的 ${name} 必须大于 0，不超过 ${max}，小数最多 12 位` };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
