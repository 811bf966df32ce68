import { describe, expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { type OpenDatabase, openDatabase } from "./connection.ts";
import type { Database } from "./database.ts";
import { createTable } from "./dialect.ts";
import { checksums } from "./migrations/checksums.ts";
import { migrations } from "./migrations/index.ts";
import { migrate } from "./migrator.ts";
import { SchemaError } from "./schema-error.ts";
import { createTestDatabase, testDialects } from "./testing/database.ts";

const names = Object.keys(migrations);

describe.each(testDialects)("%s", (dialect) => {
  /** Opens a database without any table, which is removed at the end of the block. */
  async function openEmpty() {
    const { address, remove } = await createTestDatabase(dialect);
    const opened = openDatabase(address, "writer", 60_000);
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        await opened.close();
        await remove();
      },
    };
  }

  test("a new database is made once, with the checksum of each migration", async () => {
    await using opened = await openEmpty();

    expect(await migrate(opened.db, dialect)).toEqual(names);
    expect(await migrate(opened.db, dialect)).toEqual([]);
    expect(await readApplied(opened)).toEqual(
      names.map((name) => ({ name, checksum: checksums[name]?.[dialect] ?? "" })),
    );
  });

  test("a database without checksums is opened and gets them", async () => {
    await using opened = await openEmpty();
    await migrateAsBefore(opened, names);

    expect(await migrate(opened.db, dialect)).toEqual([]);
    expect(await readApplied(opened)).toEqual(
      names.map((name) => ({ name, checksum: checksums[name]?.[dialect] ?? "" })),
    );
    expect(await migrate(opened.db, dialect)).toEqual([]);
  });

  test("such a database without the newest migration is copied first, then migrated", async () => {
    await using opened = await openEmpty();
    await migrateAsBefore(opened, names.slice(0, -1));
    let copies = 0;

    const applied = await migrate(opened.db, dialect, async () => {
      copies += 1;
    });
    expect(applied).toEqual(names.slice(-1));
    expect(copies).toBe(1);
  });

  // An operator may start an older version again after an upgrade. If it stored no checksums, the
  // next upgrade adds them.
  test("a migration added later by a version without checksums gets its checksum", async () => {
    await using opened = await openEmpty();
    await migrate(opened.db, dialect);
    const newest = names.at(-1) ?? "";
    await sql`delete from schema_migrations where name = ${newest}`.execute(opened.db);
    await sql`insert into schema_migrations (name) values (${newest})`.execute(opened.db);

    expect(await migrate(opened.db, dialect)).toEqual([]);
    expect((await readApplied(opened)).at(-1)?.checksum).toBe(checksums[newest]?.[dialect] ?? "");
  });

  test("a database is opened if an earlier form of a migration has left it the same tables", async () => {
    await using opened = await openEmpty();
    await migrate(opened.db, dialect);
    const earlier =
      dialect === "sqlite"
        ? "fac651261e28d8943ab2f7f2a25a8f6b"
        : "e5708b1f1a8b33ebf1e5882f4d469e39";
    await sql`update schema_migrations set checksum = ${earlier}
      where name = '20261202-0913-endings'`.execute(opened.db);
    expect(await migrate(opened.db, dialect)).toEqual([]);
  });

  test("a database is not opened if a migration's SQL has changed since it was made", async () => {
    await using opened = await openEmpty();
    await migrate(opened.db, dialect);
    const [, changed = ""] = names;
    await sql`update schema_migrations set checksum = 'of other SQL' where name = ${changed}`.execute(
      opened.db,
    );

    const refused = migrate(opened.db, dialect);
    await expect(refused).rejects.toThrow(SchemaError);
    await expect(refused).rejects.toThrow(`Migration ${changed} was changed`);
  });

  test("nodes that start at once on an empty database make it once", async () => {
    await using opened = await openEmpty();
    const starts = dialect === "postgres" ? 4 : 1;
    await Promise.all(
      Array.from({ length: starts }, async () => await migrate(opened.db, dialect)),
    );

    expect((await readApplied(opened)).map(({ name }) => name)).toEqual(names);
  });

  /** Records a migration as versions up to 2026-11-22 did: by its name only, without a checksum. */
  async function migrateAsBefore({ db }: OpenDatabase, known: readonly string[]): Promise<void> {
    const plain = untyped(db);
    await createTable(plain, dialect, "schema_migrations")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .execute();
    for (const name of known) {
      await migrations[name]?.(plain, dialect);
      await sql`insert into schema_migrations (name) values (${name})`.execute(plain);
    }
  }
});

/**
 * Casts the database to one without table types: these describe the newest schema, but migrations
 * meet older ones.
 */
function untyped(db: Kysely<Database>): Kysely<unknown> {
  return db as unknown as Kysely<unknown>;
}

async function readApplied({ db }: OpenDatabase): Promise<{ name: string; checksum: string }[]> {
  const { rows } = await sql<{ name: string; checksum: string }>`
    select name, checksum from schema_migrations order by name
  `.execute(db);
  return rows;
}
