/**
 * Brings a database to the newest schema, or refuses to touch it. Ours, because Kysely's has no
 * checksums and does not run SQLite's schema changes in a transaction.
 */

import { existsSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import type { Database, Db } from "./database.ts";
import { createTable, type Dialect } from "./dialect.ts";
import { type Migration, migrations } from "./migrations/index.ts";

/** The database is not one this version may open; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** Key of the advisory lock that keeps two nodes from migrating at once. */
const postgresLock = 7_410_001;

/**
 * Applies what is missing, each migration in a transaction of its own.
 *
 * @param snapshot called once before the first change of a database that has tables already.
 * @returns the names applied.
 * @throws SchemaError when the database knows a migration this version does not.
 */
export async function migrate(
  db: Db,
  dialect: Dialect,
  snapshot: () => Promise<void> = async () => {},
): Promise<string[]> {
  const plain = db.withTables<Pick<Applied, "schema_migrations">>();
  await createTable(withoutTables(plain), dialect, "schema_migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .execute();
  const before = await listApplied(plain);
  refuseUnknown(before);
  const missing = Object.keys(migrations).filter((name) => !before.includes(name));
  if (missing.length > 0 && before.length > 0) await snapshot();
  for (const name of missing) {
    await plain.transaction().execute(async (tx) => await applyOnce(tx, dialect, name));
  }
  return missing;
}

type Applied = Database & { schema_migrations: { name: string } };

/** A migration speaks of tables by name only; which of them exist it knows itself. */
function withoutTables(db: Kysely<Applied>): Kysely<unknown> {
  return db as unknown as Kysely<unknown>;
}

async function listApplied(db: Kysely<Applied>): Promise<string[]> {
  const rows = await db.selectFrom("schema_migrations").select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}

function refuseUnknown(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  throw new SchemaError(
    `The database was written by a newer version (migration ${unknown[0]}). ` +
      "Start that version, or restore the backup made before it was installed.",
  );
}

/** Another node may have applied it while this one waited for the lock. */
async function applyOnce(tx: Kysely<Applied>, dialect: Dialect, name: string): Promise<void> {
  if (dialect === "postgres") await sql`select pg_advisory_xact_lock(${postgresLock})`.execute(tx);
  if ((await listApplied(tx)).includes(name)) return;
  const migration: Migration | undefined = migrations[name];
  await migration?.(withoutTables(tx), dialect);
  await tx.insertInto("schema_migrations").values({ name }).execute();
}

/** Copies a SQLite database as it is now to `<file>.before-<first missing migration>`. */
export async function snapshotSqlite(db: Db, file: string, label: string): Promise<string> {
  const copy = `${file}.before-${label}`;
  // Kept from an earlier attempt that failed: it is the older and so the better one.
  if (!existsSync(copy)) await sql`vacuum into ${copy}`.execute(db);
  return copy;
}
