/** Tests the schema that the migrations make, and the lists that go with it. */

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { checksumOf } from "./migration-checksum.ts";
import { checksums } from "./migrations/checksums.ts";
import { migrations } from "./migrations/index.ts";
import { openTestDatabase } from "./testing/database.ts";

describe("migrations", () => {
  test("db/migrations/index.ts names every migration file", () => {
    const files = readdirSync(join(import.meta.dir, "migrations")).map((name) =>
      name.replace(/\.ts$/, ""),
    );

    expect(Object.keys(migrations)).toEqual(
      files.filter((name) => !["checksums", "index"].includes(name)).toSorted(),
    );
  });

  // If a migration was edited after its release, there are databases whose schema no current
  // version creates.
  test("db/migrations/checksums.ts has the checksum of every migration", async () => {
    const right = Object.fromEntries(
      await Promise.all(
        Object.entries(migrations).map(async ([name, migration]) => [
          name,
          {
            postgres: await checksumOf(migration, "postgres"),
            sqlite: await checksumOf(migration, "sqlite"),
          },
        ]),
      ),
    );
    const touch =
      "server/src/db/migrations/checksums.ts: a new migration adds the line shown as received; " +
      "one that has been released is not edited, its change is a new migration";

    expect(right, touch).toEqual(checksums);
    expect(Object.keys(checksums), touch).toEqual(Object.keys(checksums).toSorted());
  });
});

describe("the schema", () => {
  async function readColumns() {
    await using opened = await openedSqlite();
    const { rows } = await sql<{ table: string; name: string; type: string; create: string }>`
      select t.name as "table", c.name, c.type, m.sql as "create"
      from pragma_table_list t
      join pragma_table_info(t.name) c
      join sqlite_master m on m.type = 'table' and m.name = t.name
      where t.schema = 'main' and t.name not like 'sqlite_%'
    `.execute(opened.db);
    expect(rows).not.toBeEmpty();
    return rows;
  }

  // Without STRICT a quota too large for an integer silently becomes a float.
  test("every SQLite table is STRICT", async () => {
    await using opened = await openedSqlite();
    const loose = await sql<{ name: string }>`
      select name from pragma_table_list
      where schema = 'main' and not strict and name not like 'sqlite_%'
    `.execute(opened.db);

    expect(loose.rows).toEqual([]);
  });

  // Fields are spelled as in one-api's console API from column to screen, and of these only
  // `DeletedAt` is not snake_case.
  test("every column is snake_case", async () => {
    const names = (await readColumns()).map(({ name }) => name);

    const odd = names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name));
    expect([...new Set(odd)].filter((name) => name !== "DeletedAt")).toEqual([]);
  });

  // JavaScript reads a number beyond 2^53 − 1 as another number.
  test("every whole column has its bounds", async () => {
    const unbounded = (await readColumns())
      .filter(({ type }) => type.toLowerCase() === "integer")
      // Leaves out ids that SQLite numbers itself, because they never reach the bound of 2^53 − 1.
      .filter(
        ({ name, create }) => !(name === "id" && /"id" integer[^,]*autoincrement/.test(create)),
      )
      .filter(({ name, create }) => !new RegExp(`check \\("?${name}"? (between|in) `).test(create));

    expect(unbounded.map(({ table, name }) => `${table}.${name}`)).toEqual([]);
  });

  test("db/database.ts names every table", async () => {
    const text = readFileSync(join(import.meta.dir, "database.ts"), "utf8");
    const named = [...text.matchAll(/^ {2}(\w+): \w+Table;$/gm)].map(([, name = ""]) => name);
    const tables = new Set((await readColumns()).map(({ table }) => table));
    // Left out, because only the migrator uses this table.
    tables.delete("schema_migrations");

    expect(named).toEqual([...tables].toSorted());
  });
});

/** Opens a database for one test, which is removed at the end of the block. */
async function openedSqlite() {
  const opened = await openTestDatabase("sqlite");
  return { db: opened.db, [Symbol.asyncDispose]: async () => await opened.close() };
}
