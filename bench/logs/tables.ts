/** Loads rows into tables of a stopped product, as fast as its database takes them. */

import { sql } from "kysely";
import { Client, type Connection, type Submittable } from "pg";
import type { DatabaseAddress } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import { insertText, preparedOf } from "@tollgate/server/src/db/prepared.ts";

type Value = number | string | null;

/** Rows of a table. All rows have the columns of the first. */
export type TableRows = readonly [table: string, rows: readonly Readonly<Record<string, Value>>[]];

/**
 * Calls `fill` with a function that loads rows of several tables. Indexes are made anew at the end,
 * because that is faster than adding each row to them.
 */
export async function loadTables(
  db: Db,
  address: DatabaseAddress,
  fill: (load: (tables: readonly TableRows[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  const indexes = await dropIndexes(db, address.dialect);
  if (address.dialect === "sqlite") {
    await fill(async (tables) => await insertRows(db, tables));
  } else {
    const client = new Client({ connectionString: address.url });
    await client.connect();
    try {
      await fill(async (tables) => {
        for (const one of tables) await copyRows(client, one);
      });
      // Without the time limits of the product's connections: an index of a long table takes
      // longer, and may have to wait for the server's own vacuum.
      for (const text of indexes) await client.query(text);
    } finally {
      await client.end();
    }
    return;
  }
  for (const text of indexes) await sql.raw(text).execute(db);
}

/**
 * Gives PostgreSQL's planner the sizes of the loaded tables; a running server does this by itself,
 * some minutes later. Without the time limits of the product's connections, because a vacuum waits
 * for one that the server has begun.
 */
export async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

/** Drops the indexes that are no constraints. @returns the statements that make them again. */
async function dropIndexes(db: Db, dialect: DatabaseAddress["dialect"]): Promise<string[]> {
  const list =
    dialect === "sqlite"
      ? sql<{ name: string; text: string }>`
          select name, sql as text from sqlite_master
          where type = 'index' and sql is not null and tbl_name in ('logs', 'entries', 'usage_hours')`
      : sql<{ name: string; text: string }>`
          select indexname as name, indexdef as text from pg_indexes
          where tablename in ('logs', 'entries', 'usage_hours') and schemaname = current_schema()
            and not exists (select 1 from pg_constraint where conname = indexname)`;
  const { rows } = await list.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  return rows.map(({ text }) => text);
}

async function insertRows(db: Db, tables: readonly TableRows[]): Promise<void> {
  await db.transaction().execute((tx) => {
    const one: Db = tx;
    const prepared = preparedOf(one);
    if (prepared === undefined) throw new Error("this is not SQLite");
    for (const [table, rows] of tables) {
      const columns = Object.keys(rows[0] ?? {});
      const text = insertText(table, columns);
      for (const row of rows) {
        const values = columns.map((name) => row[name] ?? null);
        prepared.run(text, values);
      }
    }
    return Promise.resolve();
  });
}

async function copyRows(client: Client, [table, rows]: TableRows): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const names = columns.map((name) => `"${name}"`).join(", ");
  const lines = rows.map((row) => `${columns.map((name) => escaped(row[name])).join("\t")}\n`);
  await new Promise<void>((resolve, reject) => {
    client.query(
      copyOf(`copy "${table}" (${names}) from stdin`, Buffer.from(lines.join("")), (error) => {
        if (error === null) resolve();
        else reject(error);
      }),
    );
  });
}

function escaped(value: Value | undefined): string {
  if (value === null) return "\\N";
  const text = String(value ?? "");
  return /[\\\t\n\r]/.test(text)
    ? text
        .replaceAll("\\", "\\\\")
        .replaceAll("\t", "\\t")
        .replaceAll("\n", "\\n")
        .replaceAll("\r", "\\r")
    : text;
}

/** The methods of a connection that its types leave out. */
type CopyConnection = {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/** What `pg` calls while a COPY runs. Its own queries do not send the rows of one. */
function copyOf(text: string, rows: Buffer, end: (error: Error | null) => void): Submittable {
  let failure: Error | null = null;
  const query = {
    submit(connection: Connection) {
      connection.query(text);
    },
    handleCopyInResponse(connection: CopyConnection) {
      connection.sendCopyFromChunk(rows);
      connection.endCopyFrom();
    },
    handleError(error: Error) {
      failure = error;
    },
    handleCommandComplete() {},
    handleReadyForQuery() {
      end(failure);
    },
  };
  return query;
}
