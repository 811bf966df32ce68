/**
 * Opens databases. SQLite runs in the calling thread, so that must not be the thread that relays.
 */

import { Database as Sqlite, type SQLQueryBindings } from "bun:sqlite";
import { Kysely, PostgresDialect, SqliteDialect } from "kysely";
import { Pool, types } from "pg";
import type { Db } from "./database.ts";
import type { Dialect } from "./dialect.ts";
import { keepPrepared } from "./prepared.ts";

/** Where a database is. `file` is a path; `:memory:` is for tests. */
export type DatabaseAddress =
  | { readonly dialect: "sqlite"; readonly file: string }
  | { readonly dialect: "postgres"; readonly url: string };

export type OpenDatabase = {
  readonly db: Db;
  readonly dialect: Dialect;
  close(): Promise<void>;
};

/** How long a statement waits for another process's lock before it fails as busy. */
const sqliteBusyMs = 1_000;

/** Longest statement on PostgreSQL, in milliseconds. A list that takes longer is refused. */
const postgresStatementMaxMs = 20_000;

/** Connections one worker opens to PostgreSQL. */
const postgresPoolSize = 8;

/** Longest wait for one of them, in milliseconds. The caller then retries or refuses. */
const postgresConnectMaxMs = 5_000;

/** @param mode a `reader` cannot write. */
export function openDatabase(
  address: DatabaseAddress,
  mode: "reader" | "writer",
  connectMaxMs = postgresConnectMaxMs,
): OpenDatabase {
  return address.dialect === "sqlite"
    ? openSqlite(address.file, mode)
    : openPostgres(address.url, mode, connectMaxMs);
}

function openSqlite(file: string, mode: "reader" | "writer"): OpenDatabase {
  const sqlite = new Sqlite(file, {
    strict: true,
    ...(mode === "reader" ? { readonly: true } : { create: true }),
  });
  sqlite.run(`pragma busy_timeout = ${sqliteBusyMs}`);
  if (mode === "writer") {
    sqlite.run("pragma journal_mode = wal");
    sqlite.run("pragma synchronous = full");
  }
  const db: Db = new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => sqlite.close(),
        prepare(text) {
          // A full disk ends the transaction by itself. The error must then be the failure, not that
          // nothing is left to roll back.
          if (text === "rollback" && !sqlite.inTransaction) return nothing;
          const statement = sqlite.query(text);
          return {
            reader: statement.columnNames.length > 0,
            all: (parameters) => statement.all(...bindings(parameters)),
            run: (parameters) => statement.run(...bindings(parameters)),
            iterate: (parameters) => statement.iterate(...bindings(parameters)),
          };
        },
      },
    }),
  });
  const prepared = keepPrepared(db, sqlite);
  return {
    db,
    dialect: "sqlite",
    async close() {
      prepared.close();
      await db.destroy();
    },
  };
}

const nothing = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

/** Query functions bind text, numbers and null only, and bun:sqlite takes all three. */
function bindings(parameters: readonly unknown[]): SQLQueryBindings[] {
  return parameters as SQLQueryBindings[];
}

function openPostgres(
  url: string,
  mode: "reader" | "writer",
  connectionTimeoutMillis: number,
): OpenDatabase {
  const pool = new Pool({
    connectionString: url,
    max: postgresPoolSize,
    application_name: `tollgate-${mode}`,
    connectionTimeoutMillis,
    statement_timeout: postgresStatementMaxMs,
    types: { getTypeParser },
    ...(mode === "reader" ? { options: "-c default_transaction_read_only=on" } : {}),
  });
  // Without a listener an idle connection that breaks would end the process. The next query
  // replaces it.
  pool.on("error", () => {});
  // The same for one that breaks in a transaction: its statement fails with the error.
  pool.on("connect", (client) => void client.on("error", () => {}));
  const db: Db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return { db, dialect: "postgres", close: async () => await db.destroy() };
}

const int8 = 20;
const numeric = 1700;

/** Columns are at most 2^53 − 1, and sums of them stay far below in practice. */
function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  if ((oid === int8 || oid === numeric) && format !== "binary") return Number;
  return format === "binary" ? types.getTypeParser(oid, "binary") : types.getTypeParser(oid);
}
