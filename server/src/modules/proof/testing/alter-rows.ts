/** Alters rows behind the product's back, for tests of the proof. */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { type Proof, proveLedger } from "#modules/proof/proof.ts";

export type Row = Readonly<Record<string, number | string | null>>;

class Undone extends Error {}

/** Makes a change, proves the ledger, and rolls the change back. Returns the proof. */
export async function proveWith(db: Db, change: (tx: Db) => Promise<unknown>): Promise<Proof> {
  let proof: Proof | undefined;
  try {
    await db.transaction().execute(async (tx) => {
      await change(tx);
      proof = await proveLedger(tx);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  if (proof === undefined) throw new Error("nothing was proved");
  return proof;
}

/**
 * Lists the columns of a table. They are read from the database, so that a test also alters columns
 * that are added later.
 */
export async function listColumns(db: Db, dialect: Dialect, table: string): Promise<string[]> {
  const query =
    dialect === "sqlite"
      ? sql<{ name: string }>`select name from pragma_table_info(${table})`
      : sql<{ name: string }>`
          select column_name as name from information_schema.columns where table_name = ${table}`;
  const { rows } = await query.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Turns the database's own checks off, as an attacker who alters rows could do.
 * @param numbered the tables whose ids the database makes.
 */
export async function allowEverything(
  db: Db,
  dialect: Dialect,
  numbered: readonly string[],
): Promise<void> {
  if (dialect === "sqlite") {
    await sql`pragma ignore_check_constraints = on`.execute(db);
    return;
  }
  const { rows } = await sql<{ table: string; name: string }>`
    select conrelid::regclass::text as "table", conname as name
    from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`.execute(db);
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db);
  }
  for (const table of numbered) {
    await sql`alter table ${sql.table(table)} alter column id drop identity`.execute(db);
  }
}

/** Returns the condition that all columns have the values of this row. */
export function isRow(row: Row): RawBuilder<boolean> {
  const conditions = Object.entries(row).map(([column, value]) =>
    value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${sql.lit(value)}`,
  );
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Gives one column of a row another value. */
export async function alterRow(
  tx: Db,
  table: string,
  row: Row,
  change: readonly [column: string, value: number | string],
): Promise<void> {
  const [column, value] = change;
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${sql.lit(value)} where ${isRow(row)}
  `.execute(tx);
}

/** An id that no row of these tests has. */
export const elsewhere = 1_000_000;

/**
 * Returns a different value of the same type. For columns that identify rows, it is a value that no
 * row has.
 */
export function alter(column: string, value: number | string | null): number | string {
  // The only numbers that may be unknown.
  if (column === "cost" && value === null) return 0;
  if (typeof value !== "number") return `${value ?? ""}x`;
  return /(^id|_id|^seq|^hour|^span|^start)$/.test(column) ? value + elsewhere : value + 1;
}
