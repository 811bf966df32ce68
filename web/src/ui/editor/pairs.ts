/** The rows of a key-value editor, and the JSON object they make. */

export type Pair = readonly [key: string, value: string];

/** Rows whose key another row has too; empty keys are not compared. */
export function duplicateKeys(pairs: readonly Pair[]): ReadonlySet<number> {
  const rows = pairs
    .map(([key], row) => ({ key: key.trim(), row }))
    .filter(({ key }) => key !== "");
  const counts = Map.groupBy(rows, ({ key }) => key);
  return new Set(
    rows.filter(({ key }) => (counts.get(key)?.length ?? 0) > 1).map(({ row }) => row),
  );
}

/** The object to send: without rows that have no key; of equal keys the last counts. */
export function objectOfPairs(pairs: readonly Pair[]): Record<string, string> {
  const rows = pairs.map(([key, value]) => [key.trim(), value.trim()] as const);
  return Object.fromEntries(rows.filter(([key]) => key !== ""));
}

/** The rows of an object; values that are not text become JSON. */
export function pairsOfObject(object: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(object).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}
