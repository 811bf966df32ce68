/** Tables that were read from a file, as a foreign database or beside one. */

import type { ForeignDatabase, ForeignRow } from "./foreign.ts";

/**
 * @param base the database that has the other tables; null: there is none.
 * @param shown where the tables are.
 */
export function withRows(
  base: ForeignDatabase | null,
  shown: string,
  added: ReadonlyMap<string, readonly ForeignRow[]>,
): ForeignDatabase {
  const columns = (rows: readonly ForeignRow[]) => [...new Set(rows.flatMap(Object.keys))];
  const tables = new Map<string, readonly string[]>(base?.tables ?? []);
  for (const [table, rows] of added) tables.set(table, columns(rows));
  return {
    shown: base === null ? shown : `${base.shown} and ${shown}`,
    tables,
    async count(table) {
      return added.get(table)?.length ?? (await base?.count(table)) ?? 0;
    },
    async page(table, from) {
      const rows = added.get(table);
      if (rows === undefined) return (await base?.page(table, from)) ?? [];
      const { key, after, limit } = from;
      const valueOf = (row: ForeignRow): string => String(row[key]);
      return rows
        .filter((row) => after === null || valueOf(row) > String(after))
        .toSorted((a, b) => (valueOf(a) < valueOf(b) ? -1 : 1))
        .slice(0, limit);
    },
    close: async () => await base?.close(),
  };
}
