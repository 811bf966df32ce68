/** Converts between the rows of a key-value editor and a JSON object. */

export type Pair = readonly [key: string, value: string];

/** Finds the indices of rows that have the same key as another row; empty keys are ignored. */
export function duplicateKeys(pairs: readonly Pair[]): ReadonlySet<number> {
  const rows = pairs
    .map(([key], row) => ({ key: key.trim(), row }))
    .filter(({ key }) => key !== "");
  const counts = Map.groupBy(rows, ({ key }) => key);
  return new Set(
    rows.filter(({ key }) => (counts.get(key)?.length ?? 0) > 1).map(({ row }) => row),
  );
}

/**
 * Makes the object that is sent: without rows that have no key; of rows with the same key the last
 * one counts.
 */
export function objectOfPairs(pairs: readonly Pair[]): Record<string, string> {
  const rows = pairs.map(([key, value]) => [key.trim(), value.trim()] as const);
  return Object.fromEntries(rows.filter(([key]) => key !== ""));
}

/** Makes the rows for an object; values that are not text are written as JSON. */
export function pairsOfObject(object: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(object).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}
