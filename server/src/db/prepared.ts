/**
 * Statements for what runs at every call, which bypass the query builder: it makes several objects of
 * each value. On SQLite each is compiled once for a connection, and values are bound by position;
 * building a statement again for each call takes forty times as long as running it. On PostgreSQL
 * each small statement would need a round trip, so one inserts all rows.
 */

import type { Changes, Database as Sqlite, SQLQueryBindings, Statement } from "bun:sqlite";
import { CompiledQuery, type DialectAdapter, type Kysely, type QueryResult } from "kysely";
import type { Db } from "./database.ts";

export type Prepared = {
  /**
   * Runs a statement without result rows. There must only be a limited number of different `text`s,
   * because each statement is kept.
   */
  run(text: string, values: readonly SQLQueryBindings[]): Changes;
  /** Returns the first row of the result, or undefined. */
  get<Row>(text: string, value: SQLQueryBindings): Row | undefined;
  /** Frees the statements, so that the file can be closed. */
  close(): void;
};

/** The statements by database adapter, which a transaction shares with its database. */
const prepared = new WeakMap<DialectAdapter, Prepared>();

/** Lets `preparedOf` find the connection of `db`, which must be its only one. */
export function keepPrepared<Tables>(db: Kysely<Tables>, sqlite: Sqlite): Prepared {
  const statements = new Map<string, Statement<unknown>>();
  const find = (text: string): Statement<unknown> => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = sqlite.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  const opened: Prepared = {
    run: (text, values) => find(text).run(...values),
    // Safe cast if the caller's row type matches its statement.
    get: <Row>(text: string, value: SQLQueryBindings) =>
      (find(text).get(value) ?? undefined) as Row,
    close() {
      for (const statement of statements.values()) statement.finalize();
      statements.clear();
    },
  };
  prepared.set(db.getExecutor().adapter, opened);
  return opened;
}

/**
 * Returns the prepared statements of a transaction's connection. Undefined if the database is not
 * SQLite, and outside a transaction, where each row written would be a commit of its own.
 */
export function preparedOf<Tables>(db: Kysely<Tables>): Prepared | undefined {
  return db.isTransaction ? prepared.get(db.getExecutor().adapter) : undefined;
}

/** Returns the SQL text `insert into <table> (<columns>) values (?, …)`. */
export function insertText(table: string, columns: readonly string[]): string {
  return `${intoText(table, columns)} values (${columns.map(() => "?").join(", ")})`;
}

/**
 * Returns the prepared statements of a connection outside of any transaction: each that is run is a
 * commit of its own. Undefined if the database is not SQLite.
 */
export function singleOf<Tables>(db: Kysely<Tables>): Prepared | undefined {
  return db.isTransaction ? undefined : prepared.get(db.getExecutor().adapter);
}

/** The names of parameters: `$1`, `$2` and so on, as far as they were needed. */
const places: string[] = [];

const plain = CompiledQuery.raw("");

/** Returns `($1, $2), ($3, $4)` for two rows of two columns. */
function placesOf(rows: number, columns: number): string {
  while (places.length < rows * columns) places.push(`$${places.length + 1}`);
  let text = "";
  for (let row = 0; row < rows; row += 1) {
    const names = places.slice(row * columns, (row + 1) * columns).join(", ");
    text += `${row === 0 ? "" : ", "}(${names})`;
  }
  return text;
}

/**
 * Inserts rows by one statement, in a transaction on PostgreSQL. Without rows nothing is sent.
 *
 * @param into the beginning of the statement, with the names of the columns.
 * @param rows the values of each, in the order of the columns.
 * @param behind what follows the values; absent: nothing.
 */
export async function insertRows(
  tx: Db,
  into: string,
  rows: readonly (readonly unknown[])[],
  behind = "",
): Promise<QueryResult<unknown> | undefined> {
  const [first] = rows;
  if (first === undefined) return undefined;
  const text = `${into} values ${placesOf(rows.length, first.length)} ${behind}`;
  // Not made by `CompiledQuery.raw`, because it freezes the list of values, which takes long.
  return await tx.executeQuery({ ...plain, sql: text, parameters: rows.flat() });
}

/** Returns the beginning of a statement that inserts rows into a table. */
export function intoText(table: string, columns: readonly string[]): string {
  return `insert into "${table}" (${columns.map((name) => `"${name}"`).join(", ")})`;
}
