/**
 * Statements that run for every call, past the query builder: built and compiled once for each
 * connection, with values bound by position. Building one anew costs forty times what running it
 * does. SQLite only, where statements run in this thread and many small ones cost no round trip;
 * elsewhere one statement for all rows is the cheaper way.
 */

import type { Changes, Database as Sqlite, SQLQueryBindings, Statement } from "bun:sqlite";
import type { DialectAdapter, Kysely } from "kysely";

export type Prepared = {
  /** Runs a statement that gives no rows. `text` is a constant, or one of a bounded number. */
  run(text: string, values: readonly SQLQueryBindings[]): Changes;
  /** The first row; undefined: there is none. */
  get<Row>(text: string, value: SQLQueryBindings): Row | undefined;
  /** Frees the statements, so that the file can be closed. */
  close(): void;
};

/** A transaction has the adapter of the database it was begun on. */
const prepared = new WeakMap<DialectAdapter, Prepared>();

/** Lets `preparedOf` find the connection below `db`, which must have no other. */
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
    // The caller's row type says what its statement selects.
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
 * Undefined: not SQLite, or not in a transaction, where rows written one by one would be as many
 * commits.
 */
export function preparedOf<Tables>(db: Kysely<Tables>): Prepared | undefined {
  return db.isTransaction ? prepared.get(db.getExecutor().adapter) : undefined;
}

/** `insert into <table> (<columns>) values (?, …)`. */
export function insertText(table: string, columns: readonly string[]): string {
  const names = columns.map((name) => `"${name}"`).join(", ");
  return `insert into "${table}" (${names}) values (${columns.map(() => "?").join(", ")})`;
}
