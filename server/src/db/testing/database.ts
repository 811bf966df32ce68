/** Gives each test its own migrated, empty database, in each dialect. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { type DatabaseAddress, type OpenDatabase, openDatabase } from "#db/connection.ts";
import type { Dialect } from "#db/dialect.ts";
import { migrate } from "#db/migrator.ts";
import { createPostgresDatabase } from "./postgres.ts";

/**
 * The dialects to test: both, unless `TOLLGATE_TEST_DIALECTS` names one for a quick run by hand.
 */
export const testDialects: readonly Dialect[] = (["postgres", "sqlite"] as const).filter(
  (dialect) => (process.env["TOLLGATE_TEST_DIALECTS"] ?? dialect).includes(dialect),
);

type TestDatabase = OpenDatabase & { readonly address: DatabaseAddress };

/**
 * The longest wait for a connection, in milliseconds. Long, so that a slow machine does not fail a
 * test.
 */
const connectMaxMs = 60_000;

/** Opens a database for one test. Closing it also removes it. */
export async function openTestDatabase(dialect: Dialect): Promise<TestDatabase> {
  const { address, remove } = await createTestDatabase(dialect, makeSchema);
  if (address.dialect === "sqlite") writeFileSync(address.file, await sqliteTemplate());
  const opened = openDatabase(address, "writer", connectMaxMs);
  const close = async (): Promise<void> => {
    await opened.close();
    await remove();
  };
  return { ...opened, address, close };
}

/** Creates the tables of the template that every test's PostgreSQL database is copied from. */
async function makeSchema(url: string): Promise<void> {
  const { db, close } = openDatabase({ dialect: "postgres", url }, "writer", connectMaxMs);
  await migrate(db, "postgres");
  await close();
}

let template: Promise<Uint8Array> | undefined;

/** Returns the file that every test's SQLite database is a copy of. It is made once. */
async function sqliteTemplate(): Promise<Uint8Array> {
  template ??= makeSqliteTemplate();
  return await template;
}

async function makeSqliteTemplate(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-template-"));
  const file = join(folder, "tollgate.db");
  // In memory, because each migration is a commit, and commits to a file wait for the disk.
  const { db, close } = openDatabase({ dialect: "sqlite", file: ":memory:" }, "writer");
  try {
    await migrate(db, "sqlite");
    await sql`vacuum into ${file}`.execute(db);
    return readFileSync(file);
  } finally {
    await close();
    rmSync(folder, { recursive: true });
  }
}

/** Creates a database. It is empty, without any table, unless `prepare` makes some. */
export async function createTestDatabase(
  dialect: Dialect,
  prepare?: (url: string) => Promise<void>,
): Promise<{ address: DatabaseAddress; remove: () => Promise<void> }> {
  if (dialect === "postgres") {
    const { url, drop } = await createPostgresDatabase(prepare);
    return { address: { dialect, url }, remove: drop };
  }
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  const remove = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
  return { address: { dialect, file: join(folder, "tollgate.db") }, remove };
}
