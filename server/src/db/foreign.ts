/**
 * Reads the database of another program: a SQLite file, or MySQL or PostgreSQL by its address.
 * Nothing is ever written there, and nothing is known of its tables but what it says itself.
 */

import { Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import { isSqlite } from "#db/sqlite-copy.ts";

/** A row of a foreign table, as the database gives it. */
export type ForeignRow = Readonly<Record<string, unknown>>;

export type ForeignDatabase = {
  /** Where it is, without user name and password. */
  readonly shown: string;
  /** The columns of each table. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** @throws ForeignError, as do all of its functions. */
  count(table: string): Promise<number>;
  /** Reads the next rows in the order of a key; `after` null: the first ones. */
  page(table: string, from: ForeignPage): Promise<ForeignRow[]>;
  close(): Promise<void>;
};

type ForeignPage = {
  /** The column that the rows are ordered by; its values are unique. */
  readonly key: string;
  readonly after: number | string | null;
  readonly limit: number;
  /** Only rows in which this column is at least `at`, Unix seconds; absent: all rows. */
  readonly since?: { readonly column: string; readonly at: number } | undefined;
};

/** The database cannot be read. The message is for the operator. */
export class ForeignError extends Error {
  override readonly name = "ForeignError";
}

type Query = (text: string, values: readonly (number | string)[]) => Promise<ForeignRow[]>;

type Connection = {
  readonly query: Query;
  readonly quote: (name: string) => string;
  /** Writes the place of the first parameter. */
  readonly parameter: string;
  /** Lists tables and columns as `table_name` and `column_name`. */
  readonly columns: string;
  close(): Promise<void>;
};

/** @throws ForeignError if there is no database that can be read. */
export async function openForeign(address: string): Promise<ForeignDatabase> {
  const connection = connect(address);
  try {
    return await describe(connection, shownAddress(address));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function describe(connection: Connection, shown: string): Promise<ForeignDatabase> {
  const { quote, parameter, query } = connection;
  const ask: Query = async (text, values) => {
    try {
      return await query(text, values);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ForeignError(`${shown} cannot be read: ${reason}`);
    }
  };
  const found = await ask(connection.columns, []);
  const tables = new Map<string, string[]>();
  for (const row of found) {
    const table = String(row["table_name"]);
    tables.set(table, [...(tables.get(table) ?? []), String(row["column_name"])]);
  }
  return {
    shown,
    tables,
    async count(table) {
      const [row] = await ask(`select count(*) as n from ${quote(table)}`, []);
      return Number(row?.["n"] ?? 0);
    },
    async page(table, { key, after, limit, since }) {
      // A time is a whole number, which needs no parameter.
      const times = since === undefined ? [] : [`${quote(since.column)} >= ${since.at}`];
      const conditions = [...(after === null ? [] : [`${quote(key)} > ${parameter}`]), ...times];
      const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")} `;
      const text = `select * from ${quote(table)} ${where}order by ${quote(key)} limit ${limit}`;
      return await ask(text, after === null ? [] : [after]);
    },
    close: connection.close,
  };
}

/** Leaves out what must not be shown of an address. */
function shownAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

function connect(address: string): Connection {
  const scheme = /^([a-z]+):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return connectSqlite(address);
  if (scheme === "postgres" || scheme === "postgresql") return connectPostgres(address);
  if (scheme === "mysql" || scheme === "mariadb") return connectMysql(address);
  const kinds = "a SQLite file, or an address that begins with mysql:// or postgres://";
  throw new ForeignError(`${scheme}:// is no database that can be read; name ${kinds}.`);
}

const doubleQuoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function connectSqlite(file: string): Connection {
  if (!existsSync(file)) throw new ForeignError(`There is no file ${file}.`);
  let sqlite: Sqlite;
  try {
    if (!isSqlite(file)) throw new ForeignError(`${file} is no SQLite database.`);
    sqlite = new Sqlite(file, { readonly: true, safeIntegers: true });
  } catch (error) {
    if (error instanceof ForeignError) throw error;
    throw new ForeignError(`${file} cannot be read: ${String(error)}`);
  }
  return {
    query: async (text, values) =>
      sqlite.query<ForeignRow, (number | string)[]>(text).all(...values),
    quote: doubleQuoted,
    parameter: "?",
    columns: `select m.name as table_name, c.name as column_name
      from sqlite_master as m join pragma_table_info(m.name) as c
      where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`,
    close: async () => sqlite.close(),
  };
}

/** How long a server may take to answer the first time, in seconds. */
const connectMaxSeconds = 10;

function connectPostgres(address: string): Connection {
  const sql = new Bun.SQL(address, {
    adapter: "postgres",
    max: 1,
    connectionTimeout: connectMaxSeconds,
    connection: { default_transaction_read_only: "on" },
  });
  return {
    query: async (text, values) => [...(await sql.unsafe<ForeignRow[]>(text, [...values]))],
    quote: doubleQuoted,
    parameter: "$1",
    columns: `select table_name, column_name from information_schema.columns
      where table_schema = current_schema() order by table_name, ordinal_position`,
    close: async () => await sql.close(),
  };
}

function connectMysql(address: string): Connection {
  const sql = new Bun.SQL(address.replace(/^mariadb:/i, "mysql:"), {
    adapter: "mysql",
    max: 1,
    connectionTimeout: connectMaxSeconds,
  });
  let isReadOnly = false;
  return {
    async query(text, values) {
      if (!isReadOnly) await sql.unsafe("set session transaction read only");
      isReadOnly = true;
      return [...(await sql.unsafe<ForeignRow[]>(text, [...values]))];
    },
    quote: (name) => `\`${name.replaceAll("`", "``")}\``,
    parameter: "?",
    columns: `select table_name as table_name, column_name as column_name
      from information_schema.columns
      where table_schema = database() order by table_name, ordinal_position`,
    close: async () => await sql.close(),
  };
}
