/**
 * Prepared statements for what runs at every call. They bypass the query builder: each is built and
 * compiled once for a connection, and values are bound by position. Building a statement again for
 * each call takes forty times as long as running it. They exist for SQLite only, where many small
 * statements need no round trips; on PostgreSQL one statement for all rows is cheaper.
 */

import type { Changes, Database as Sqlite, SQLQueryBindings, Statement } from "bun:sqlite";
import type { DialectAdapter, Kysely } from "kysely";

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
  const names = columns.map((name) => `"${name}"`).join(", ");
  return `insert into "${table}" (${names}) values (${columns.map(() => "?").join(", ")})`;
}

/**
 * Returns the prepared statements of a connection outside of any transaction: each that is run is a
 * commit of its own. Undefined if the database is not SQLite.
 */
export function singleOf<Tables>(db: Kysely<Tables>): Prepared | undefined {
  return db.isTransaction ? undefined : prepared.get(db.getExecutor().adapter);
}
