/**
 * Converts options that are maps or lists from the API's JSON text to rows of two columns, and
 * back.
 */

import { parseDecimal, parseFlatObject } from "@tollgate/contract/endpoints/prices.ts";

export type Pairs = readonly (readonly [string, string])[];

/**
 * Reads the rows of a JSON object. Undefined: the text is not a flat JSON object, so it cannot be
 * shown as two columns.
 */
export function pairsOfMap(json: string): Pairs | undefined {
  const parsed = parseFlatObject(json);
  if (!parsed.ok) return undefined;
  return parsed.value.map(([name, value]) => [
    name,
    typeof value === "string" ? value : value.number,
  ]);
}

/**
 * Writes the rows as JSON text. Invalid and unfinished rows are kept, and a name that occurs twice
 * is written twice, so that saving can report the mistake.
 */
export function mapOfPairs(pairs: Pairs, kind: "decimalMap" | "textMap"): string {
  if (pairs.length === 0) return "{}";
  const lines = pairs.map(([name, value]) => {
    const decimal = kind === "decimalMap" ? parseDecimal(value) : undefined;
    return `  ${JSON.stringify(name.trim())}: ${decimal?.ok === true ? decimal.value : JSON.stringify(value)}`;
  });
  return `{\n${lines.join(",\n")}\n}`;
}

/**
 * Reads the rows of a JSON list `[{"name": "address"}]`, one per entry; undefined: the text has
 * another form.
 */
export function pairsOfList(json: string): Pairs | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const pairs: [string, string][] = [];
  for (const entry of value) {
    const isObject = typeof entry === "object" && entry !== null && !Array.isArray(entry);
    const [pair, ...others] = isObject ? Object.entries(entry) : [];
    if (pair === undefined || others.length > 0 || typeof pair[1] !== "string") return undefined;
    pairs.push([pair[0], pair[1]]);
  }
  return pairs;
}

export function listOfPairs(pairs: Pairs): string {
  const entries = pairs.map(([name, address]) => ({ [name.trim()]: address.trim() }));
  return JSON.stringify(entries, null, 2);
}
