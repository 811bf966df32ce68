/**
 * Brings a database to the newest schema, or refuses to change it. It is our own because Kysely's
 * migrator has no checksums and does not run SQLite's schema changes in a transaction.
 */

import { existsSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import type { Database, Db } from "./database.ts";
import { createTable, type Dialect, hasColumn } from "./dialect.ts";
import { checksumOf } from "./migration-checksum.ts";
import { checksums } from "./migrations/checksums.ts";
import { migrations } from "./migrations/index.ts";
import { SchemaError } from "./schema-error.ts";

/** Key of the advisory lock that keeps two nodes from migrating at once. */
const postgresLock = 7_410_001;

/**
 * The longest time that a migration waits for a table, in milliseconds. After it the start fails,
 * and the next start tries again.
 */
const changeLockMaxMs = 5_000;

/**
 * Applies the missing migrations, each in its own transaction.
 *
 * @param snapshot called once before the first change of a database that has tables already. The
 *   column of checksums, which a database of an older version lacks, is added before it.
 * @returns the names applied.
 * @throws SchemaError when the database knows a migration that this version does not, or was made
 *   by one that has been changed since.
 */
export async function migrate(
  db: Db,
  dialect: Dialect,
  snapshot: () => Promise<void> = async () => {},
): Promise<string[]> {
  const plain = db.withTables<Pick<Applied, "schema_migrations">>();
  const before = await plain.transaction().execute(async (tx) => {
    await lockMigrations(tx, dialect);
    return await readApplied(tx, dialect);
  });
  await refuseChanged(before, dialect);
  const missing = Object.keys(migrations).filter(
    (name) => !before.some((applied) => applied.name === name),
  );
  if (missing.length > 0 && before.length > 0) await snapshot();
  for (const name of missing) {
    await plain.transaction().execute(async (tx) => await applyOnce(tx, dialect, name));
  }
  return missing;
}

/**
 * Makes sure that the tables are those of this version, without changing them.
 *
 * @throws SchemaError
 */
export async function requireSchema(db: Db, dialect: Dialect): Promise<void> {
  const plain = db.withTables<Pick<Applied, "schema_migrations">>();
  const column = { table: "schema_migrations", column: "name" };
  const hasTables = await hasColumn(withoutTables(plain), dialect, column);
  const applied = hasTables
    ? await plain.selectFrom("schema_migrations").select("name").execute()
    : [];
  const names = applied.map(({ name }) => name);
  refuseUnknown(names);
  if (Object.keys(migrations).every((name) => names.includes(name))) return;
  throw new SchemaError(
    names.length === 0
      ? "There are no tables of a gateway in this database. Name the one that the gateway uses."
      : "The tables are those of an earlier version. Start the gateway once: it brings them up to date.",
  );
}

type AppliedRow = {
  name: string;
  /**
   * Checksum of the migration's SQL; empty if a version without checksums applied the migration.
   */
  checksum: string;
};

type Applied = Database & { schema_migrations: AppliedRow };

/**
 * Casts the database to one without table types: these describe the newest schema only, so
 * migrations name tables as text.
 */
function withoutTables(db: Kysely<Applied>): Kysely<unknown> {
  return db as unknown as Kysely<unknown>;
}

/**
 * Keeps other nodes from migrating until the transaction ends; SQLite has one writer anyway. The
 * migration may take long, but must not wait long for a table, because every later query of that
 * table would wait behind it.
 */
async function lockMigrations(tx: Kysely<Applied>, dialect: Dialect): Promise<void> {
  if (dialect !== "postgres") return;
  // The wait for another node's migration has no limit, however long that one takes.
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`select pg_advisory_xact_lock(${postgresLock})`.execute(tx);
  await sql`set local lock_timeout = ${sql.lit(changeLockMaxMs)}`.execute(tx);
}

/** Reads which migrations were applied. Creates or upgrades the table that records them. */
async function readApplied(tx: Kysely<Applied>, dialect: Dialect): Promise<AppliedRow[]> {
  const untyped = withoutTables(tx);
  await createTable(untyped, dialect, "schema_migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .execute();
  const names = await tx.selectFrom("schema_migrations").select("name").execute();
  refuseUnknown(names.map(({ name }) => name));
  if (!(await hasColumn(untyped, dialect, { table: "schema_migrations", column: "checksum" }))) {
    await untyped.schema
      .alterTable("schema_migrations")
      .addColumn("checksum", "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  const rows = await listApplied(tx);
  for (const row of rows.filter(({ checksum }) => checksum === "")) {
    // A version that stored no checksums applied this migration, so its SQL was that of the
    // release.
    row.checksum = checksums[row.name]?.[dialect] ?? "";
    await tx
      .updateTable("schema_migrations")
      .set({ checksum: row.checksum })
      .where("name", "=", row.name)
      .execute();
  }
  return rows;
}

async function listApplied(db: Kysely<Applied>): Promise<AppliedRow[]> {
  return await db
    .selectFrom("schema_migrations")
    .select(["name", "checksum"])
    .orderBy("name")
    .execute();
}

function refuseUnknown(names: readonly string[]): void {
  const unknown = names.filter((name) => !(name in migrations)).toSorted();
  if (unknown.length === 0) return;
  throw new SchemaError(
    `The database was written by a newer version (migration ${unknown[0]}). ` +
      "Start that version, or restore the backup made before it was installed.",
  );
}

/**
 * Checksums that migrations had before they were changed, where both forms leave the same tables:
 * that of endings gave all rows theirs before the start went on, and left nothing for later.
 */
const earlierForms: Readonly<Record<string, readonly string[]>> = {
  "20261202-0913-endings": ["e5708b1f1a8b33ebf1e5882f4d469e39", "fac651261e28d8943ab2f7f2a25a8f6b"],
};

/**
 * Refuses a database whose migrations were changed since: its tables may differ from what the
 * queries expect.
 */
async function refuseChanged(applied: readonly AppliedRow[], dialect: Dialect): Promise<void> {
  for (const { name, checksum } of applied) {
    const migration = migrations[name];
    if (migration === undefined || checksum === (await checksumOf(migration, dialect))) continue;
    if (earlierForms[name]?.includes(checksum) === true) continue;
    throw new SchemaError(
      `Migration ${name} was changed after this database was made with it. Start a released ` +
        "version, or undo the change and write it as a new migration.",
    );
  }
}

/** Applies a migration, unless another node did while this one waited for the lock. */
async function applyOnce(tx: Kysely<Applied>, dialect: Dialect, name: string): Promise<void> {
  await lockMigrations(tx, dialect);
  if ((await listApplied(tx)).some((applied) => applied.name === name)) return;
  const migration = migrations[name];
  if (migration === undefined) return;
  await migration(withoutTables(tx), dialect);
  const checksum = await checksumOf(migration, dialect);
  await tx.insertInto("schema_migrations").values({ name, checksum }).execute();
}

/** Copies a SQLite database as it is now to `<file>.before-<first missing migration>`. */
export async function snapshotSqlite(db: Db, file: string, label: string): Promise<string> {
  const copy = `${file}.before-${label}`;
  // If an earlier attempt failed and left a copy, that copy is kept, because it is older.
  if (!existsSync(copy)) await sql`vacuum into ${copy}`.execute(db);
  return copy;
}
