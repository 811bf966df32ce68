/** Converts the values of fields to and from text, for each type of field. */

import { z } from "zod";
import { type Parsed, parseDecimal, parseDecimalMap } from "@tollgate/contract/endpoints/prices.ts";
import {
  parseFlatObject,
  reservedNames,
  showDecimalMap,
} from "@tollgate/contract/endpoints/prices.ts";

/**
 * The type of a field: how its value is written as text, and therefore which control a screen shows
 * for it.
 */
export type FieldType =
  /** `true` or `false`. */
  | "flag"
  | "number"
  /** A decimal that is kept as text, see `charge.ts`. */
  | "decimal"
  /** A text of one line. */
  | "text"
  /** The http(s) address of a server that this server will call. */
  | "address"
  /** One e-mail address. */
  | "email"
  /** A text of several lines. */
  | "longText"
  /** One of the words in `choices`. */
  | "choice"
  /** A list, one entry a line. */
  | "lines"
  /** A list, its entries separated by commas. */
  | "list"
  /** JSON object whose values are texts. */
  | "textMap"
  /** JSON object whose values are decimals. */
  | "decimalMap"
  /** JSON list of objects with one name and text each. */
  | "pairList"
  /** Any other JSON. */
  | "json";

const readers: Readonly<Record<FieldType, (text: string) => Parsed<unknown>>> = {
  flag: (text) => {
    if (text === "true" || text === "1") return { ok: true, value: true };
    if (text === "false" || text === "0") return { ok: true, value: false };
    return { ok: false, message: "只能是 true 或 false" };
  },
  number: (text) => {
    const isNumber = /^-?\d{1,20}(\.\d{1,20})?([eE][+-]?\d{1,3})?$/.test(text.trim());
    // Adding 0 turns `-0` into 0.
    return isNumber ? { ok: true, value: Number(text) + 0 } : { ok: false, message: "不是数字" };
  },
  decimal: parseDecimal,
  text: asIs,
  address: asIs,
  email: asIs,
  longText: asIs,
  choice: (text) => ({ ok: true, value: text.trim() }),
  lines: (text) => ({ ok: true, value: entries(text.split(/\r?\n/)) }),
  list: (text) => ({ ok: true, value: entries(text.split(",")) }),
  textMap: (text) => {
    const pairs = parseFlatObject(text);
    if (!pairs.ok) return pairs;
    const onlyTexts = pairs.value.every(([, value]) => typeof value === "string");
    return onlyTexts
      ? { ok: true, value: Object.fromEntries(pairs.value) }
      : { ok: false, message: "不是合法的 JSON 字符串" };
  },
  decimalMap: parseDecimalMap,
  pairList: parseJson,
  json: parseJson,
};

function asIs(text: string): Parsed<string> {
  return { ok: true, value: text };
}

function entries(parts: readonly string[]): string[] {
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function parseJson(text: string): Parsed<unknown> {
  try {
    return { ok: true, value: JSON.parse(text, refuseReserved) };
  } catch {
    return { ok: false, message: "不是合法的 JSON 字符串" };
  }
}

function refuseReserved(name: string, value: unknown): unknown {
  if (reservedNames.has(name)) throw new SyntaxError(name);
  return value;
}

/** Reads a value from its text; its schema decides whether it is in range. */
export function readFieldText(type: FieldType, text: string): Parsed<unknown> {
  return readers[type](text);
}

/** Writes a value of this type as text. */
export function showFieldText(type: FieldType, value: unknown): string {
  switch (type) {
    case "flag":
    case "number":
    case "decimal":
    case "text":
    case "address":
    case "email":
    case "longText":
    case "choice":
      return String(value);
    case "lines":
      return z.array(z.string()).parse(value).join("\n");
    case "list":
      return z.array(z.string()).parse(value).join(",");
    case "textMap":
    case "pairList":
    case "json":
      return JSON.stringify(value, null, 2);
    case "decimalMap":
      return showDecimalMap(z.record(z.string(), z.string()).parse(value));
  }
}
