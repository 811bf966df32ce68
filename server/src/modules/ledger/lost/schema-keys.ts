/**
 * Notices that a backup is being restored: the tables are there before their keys. Nothing is decided
 * meanwhile, because rows that are missing may still come.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";

/** The keys of the tables, and how many migrations made them. */
type SchemaKeys = { readonly migrations: number; readonly names: readonly string[] };

/** How many names a message has. */
const namesMax = 3;

/** Reads the primary keys and unique indexes of all tables; those of partitions come and go. */
export async function readSchemaKeys(db: Db): Promise<SchemaKeys> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and indisunique and not relispartition`.execute(
    db,
  );
  const applied = await sql<{ count: number }>`
    select count(*)::int as count from schema_migrations`.execute(db);
  return { migrations: applied.rows[0]?.count ?? 0, names: rows.map(({ name }) => name) };
}

/**
 * Remembers the keys, and checks them whenever this node begins another epoch.
 *
 * @returns a function that throws `StoreUnavailable` while keys are missing. A newer version's
 *   migrations may have removed some, so nothing is compared after those.
 */
export function openSchemaCheck(read: () => Promise<SchemaKeys>): () => Promise<void> {
  let known: SchemaKeys | undefined;
  return async () => {
    const present = await read();
    known ??= present;
    if (present.migrations > known.migrations) return;
    const missing = known.names.filter((name) => !present.names.includes(name));
    if (missing.length === 0) return;
    const some = missing.slice(0, namesMax).join(", ");
    throw new StoreUnavailable(
      `the database lacks ${missing.length} of its keys (${some}), as while a backup is restored`,
    );
  };
}
