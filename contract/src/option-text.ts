/** The values of options as text, one pair of functions a kind. */

import { z } from "zod";
import { type Parsed, parseDecimal, parseDecimalMap } from "./prices.ts";
import { parseFlatObject, showDecimalMap } from "./prices.ts";

/** How a value is written as text, and so which control a screen draws for it. */
export type OptionKind =
  /** `true` or `false`. */
  | "flag"
  | "number"
  /** A decimal that stays text, see `charge.ts`. */
  | "decimal"
  | "text"
  /** A list, one entry a line. */
  | "lines"
  /** JSON object of texts. */
  | "textMap"
  /** JSON object of decimals. */
  | "decimalMap";

const readers: Readonly<Record<OptionKind, (text: string) => Parsed<unknown>>> = {
  flag: (text) => {
    if (text === "true" || text === "1") return { ok: true, value: true };
    if (text === "false" || text === "0") return { ok: true, value: false };
    return { ok: false, message: "只能是 true 或 false" };
  },
  number: (text) => {
    const isNumber = /^-?\d{1,20}(\.\d{1,20})?([eE][+-]?\d{1,3})?$/.test(text.trim());
    // Plus 0: `-0` is 0.
    return isNumber ? { ok: true, value: Number(text) + 0 } : { ok: false, message: "不是数字" };
  },
  decimal: parseDecimal,
  text: (text) => ({ ok: true, value: text }),
  lines: (text) => ({
    ok: true,
    value: text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trim()])),
  }),
  textMap: (text) => {
    const pairs = parseFlatObject(text);
    if (!pairs.ok) return pairs;
    const onlyTexts = pairs.value.every(([, value]) => typeof value === "string");
    return onlyTexts
      ? { ok: true, value: Object.fromEntries(pairs.value) }
      : { ok: false, message: "不是合法的 JSON 字符串" };
  },
  decimalMap: parseDecimalMap,
};

/** A value from its text; whether it is in range is its schema's business. */
export function readOptionText(kind: OptionKind, text: string): Parsed<unknown> {
  return readers[kind](text);
}

/** Text from a value of this kind. */
export function showOptionText(kind: OptionKind, value: unknown): string {
  switch (kind) {
    case "flag":
    case "number":
    case "decimal":
    case "text":
      return String(value);
    case "lines":
      return z.array(z.string()).parse(value).join("\n");
    case "textMap":
      return JSON.stringify(value, null, 2);
    case "decimalMap":
      return showDecimalMap(z.record(z.string(), z.string()).parse(value));
  }
}
