/** Reads the values of a foreign row by the names of its columns, whatever its database gives. */

import type { ForeignRow } from "#db/foreign.ts";

/** A row that cannot be imported, and why. */
export class RowFault extends Error {
  override readonly name = "RowFault";
  readonly column: string;
  constructor(column: string, reason: string) {
    super(reason);
    this.column = column;
  }
}

export type Values = {
  /** A text without characters that cannot be stored; empty: there is no such value. */
  text(name: string): string;
  /** A whole number; 0: there is no such value. */
  whole(name: string): number;
  /** A number that need not be whole; null: there is no such value. */
  amount(name: string): number | null;
  /** The texts of a list, in whichever form the database has it. */
  list(name: string): readonly string[];
  /** The fields of a JSON object; none: there is no such value, or it is no object. */
  object(name: string): Readonly<Record<string, unknown>>;
  /** Unix seconds of a time in whichever form; 0: there is none. */
  time(name: string): number;
  has(name: string): boolean;
  /** The names that were asked for. */
  readonly asked: ReadonlySet<string>;
};

/** A longer text is no name, key or list, but an attack or a defect. */
const textMax = 1_000_000;

export function openValues(row: ForeignRow): Values {
  const asked = new Set<string>();
  const get = (name: string): unknown => {
    asked.add(name);
    return row[name] ?? null;
  };
  return {
    asked,
    has: (name) => get(name) !== null,
    text(name) {
      const text = textOf(get(name));
      if (text.length > textMax) throw new RowFault(name, "is too long");
      return text;
    },
    whole: (name) => wholeOf(name, get(name)),
    amount: (name) => amountOf(name, get(name)),
    list: (name) => listOf(get(name)),
    object: (name) => objectOf(get(name)),
    time(name) {
      const value = get(name);
      const isNumber = /^-?\d*$/.test(textOf(value));
      if (value === null || isNumber) return Math.max(0, wholeOf(name, value));
      const ms = value instanceof Date ? value.getTime() : Date.parse(zoned(textOf(value)));
      if (Number.isNaN(ms)) throw new RowFault(name, "is no time");
      return Math.max(0, Math.floor(ms / 1_000));
    },
  };
}

/** Times that name no zone are of UTC; parts of a second are of no use here. */
function zoned(text: string): string {
  const [, day = "", clock = "", zone = ""] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d:?\d\d)?/.exec(text) ?? [];
  return day === "" ? text : `${day}T${clock}${zone === "" ? "Z" : zone}`;
}

/** Shows any value as text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Uint8Array) return clean(new TextDecoder().decode(value));
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return clean(JSON.stringify(value));
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string") return clean(value);
  return typeof value === "number" || typeof value === "bigint" ? `${value}` : "";
}

/** PostgreSQL stores no NUL, and half of a character cannot be written as UTF-8. */
function clean(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}").toWellFormed();
}

/** A larger amount of dollars is an error of the source. */
const amountMax = 1e10;

function amountOf(name: string, value: unknown): number | null {
  if (value === null || value === "") return null;
  const number = Number(value);
  if (typeof value === "object" || !(Math.abs(number) <= amountMax)) {
    throw new RowFault(name, "is no amount, or one that is too large");
  }
  return number;
}

function listOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf);
  const text = textOf(value).trim();
  if (text.startsWith("[")) {
    const list = parseJson(text);
    return Array.isArray(list) ? list.map(textOf) : [];
  }
  // PostgreSQL writes lists in braces, with quotes where a text needs them.
  if (!text.startsWith("{") || !text.endsWith("}")) return [];
  return [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(
    ([, quoted, plain]) => plain ?? (quoted ?? "").replaceAll(/\\(.)/g, "$1"),
  );
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const found = typeof value === "string" ? parseJson(value) : value;
  const isObject = typeof found === "object" && found !== null && !Array.isArray(found);
  // Safe cast: it is an object, whatever its fields are.
  return isObject ? (found as Readonly<Record<string, unknown>>) : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function wholeOf(name: string, value: unknown): number {
  if (value === null || value === "") return 0;
  if (typeof value === "boolean") return Number(value);
  if (value instanceof Uint8Array && value.length === 1) return value[0] ?? 0;
  const number = Number(value);
  if (typeof value === "object" || !Number.isSafeInteger(number)) {
    throw new RowFault(name, "is no whole number, or one that is too large");
  }
  return number;
}
