/** Rows of a key-value editor, and the JSON object they stand for. */

export type Pair = readonly [key: string, value: string];

/** Rows whose key stands in another row too; empty keys are not compared. */
export function duplicateKeys(pairs: readonly Pair[]): ReadonlySet<number> {
  const rows = pairs
    .map(([key], row) => ({ key: key.trim(), row }))
    .filter(({ key }) => key !== "");
  const counts = Map.groupBy(rows, ({ key }) => key);
  return new Set(
    rows.filter(({ key }) => (counts.get(key)?.length ?? 0) > 1).map(({ row }) => row),
  );
}

/** What is sent: rows without a key are left out, of equal keys the last counts. */
export function objectOfPairs(pairs: readonly Pair[]): Record<string, string> {
  const rows = pairs.map(([key, value]) => [key.trim(), value.trim()] as const);
  return Object.fromEntries(rows.filter(([key]) => key !== ""));
}

/** The rows of an object; of what is not text, its JSON. */
export function pairsOfObject(object: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(object).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}
