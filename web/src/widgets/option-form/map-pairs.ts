/** Maps and lists of options as two columns, and back to the JSON text the API carries. */

import { parseDecimal, parseFlatObject } from "@tollgate/contract/prices.ts";

export type Pairs = readonly (readonly [string, string])[];

/** Undefined: the text is no flat JSON object, so there are no two columns to show. */
export function pairsOfMap(json: string): Pairs | undefined {
  const parsed = parseFlatObject(json);
  if (!parsed.ok) return undefined;
  return parsed.value.map(([name, value]) => [
    name,
    typeof value === "string" ? value : value.number,
  ]);
}

/**
 * JSON of what stands in two columns, wrong or half typed as it may be: a name that stands twice
 * does so in the text as well, and saving says what is wrong with it.
 */
export function mapOfPairs(pairs: Pairs, kind: "decimalMap" | "textMap"): string {
  if (pairs.length === 0) return "{}";
  const lines = pairs.map(([name, value]) => {
    const decimal = kind === "decimalMap" ? parseDecimal(value) : undefined;
    return `  ${JSON.stringify(name.trim())}: ${decimal?.ok === true ? decimal.value : JSON.stringify(value)}`;
  });
  return `{\n${lines.join(",\n")}\n}`;
}

/** `[{"name": "address"}]`, of which each entry is one row; undefined: it is something else. */
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
