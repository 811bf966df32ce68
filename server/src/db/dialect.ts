/**
 * Everything that differs between SQLite and PostgreSQL. No other file may ask which one it talks
 * to.
 */

import {
  type CreateTableBuilder,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  sql,
} from "kysely";

export type Dialect = "sqlite" | "postgres";

/** Largest whole number that JavaScript holds exactly; the maximum of every integer column. */
export const wholeMax = Number.MAX_SAFE_INTEGER;

/**
 * Begins a `create table`. On SQLite the table is STRICT; otherwise a quota too large for an integer
 * would silently become a float.
 */
export function createTable<Table extends string>(
  db: Kysely<unknown>,
  dialect: Dialect,
  name: Table,
): CreateTableBuilder<Table> {
  const table = db.schema.createTable(name);
  return dialect === "sqlite" ? table.modifyEnd(sql`strict`) : table;
}

/**
 * Marks a number as a bigint, because PostgreSQL takes an untyped parameter in a list of values for
 * text.
 */
export function whole(value: number): RawBuilder<number> {
  return sql<number>`cast(${value} as bigint)`;
}

/** Returns the column type of whole numbers of 64 bits: ids, times, quota. */
export function wholeType(dialect: Dialect): "integer" | "bigint" {
  return dialect === "sqlite" ? "integer" : "bigint";
}

/**
 * Returns the column type of the few numbers that are not whole. None of them is money that is
 * spent.
 */
export function realType(dialect: Dialect): "real" | "double precision" {
  return dialect === "sqlite" ? "real" : "double precision";
}

/** Adds the primary key `id`, numbered by the database from 1 and never reused. */
export function addId<Table extends string, Column extends string>(
  dialect: Dialect,
  table: CreateTableBuilder<Table, Column>,
): CreateTableBuilder<Table, Column | "id"> {
  return dialect === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedAlwaysAsIdentity());
}

/** True when the table has the column. */
export async function hasColumn(
  db: Kysely<unknown>,
  dialect: Dialect,
  { table, column }: { readonly table: string; readonly column: string },
): Promise<boolean> {
  const found =
    dialect === "sqlite"
      ? sql`select name from pragma_table_info(${table}) where name = ${column}`
      : sql`select column_name from information_schema.columns
          where table_schema = current_schema()
            and table_name = ${table} and column_name = ${column}`;
  return (await found.execute(db)).rows.length > 0;
}

/**
 * Builds the SQL for the JSON text of an object that holds these columns of a row by their names.
 */
export function jsonObject(dialect: Dialect, columns: readonly string[]) {
  const pairs = columns.flatMap((column) => [sql.lit(column), sql.ref(column)]);
  return dialect === "sqlite"
    ? sql<string>`json_object(${sql.join(pairs)})`
    : sql<string>`json_build_object(${sql.join(pairs)})::text`;
}

/** Returns the dialect of the database that `db` talks to. */
export function dialectOf<Tables>(db: Kysely<Tables>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite";
}

/**
 * Builds the SQL for the Unix milliseconds of the database's own clock, read while the statement
 * runs. The clocks of nodes differ, and a time passed as a parameter would be too old if the
 * statement had to wait.
 */
export function databaseMs<Tables>(db: Kysely<Tables>): RawBuilder<number> {
  return dialectOf(db) === "postgres"
    ? sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

type Lockable<Query> = { modifyEnd(modifier: ReturnType<typeof sql>): Query };

/**
 * Locks the rows of a `select` until the transaction ends. SQLite needs no locks, because it has
 * one writer.
 */
export function lockRows<Query extends Lockable<Query>, Tables>(
  db: Kysely<Tables>,
  query: Query,
): Query {
  return dialectOf(db) === "postgres" ? query.modifyEnd(sql`for update`) : query;
}

/** As `lockRows`, but leaves out rows that another transaction has locked. */
export function skipLocked<Query extends Lockable<Query>, Tables>(
  db: Kysely<Tables>,
  query: Query,
): Query {
  return dialectOf(db) === "postgres" ? query.modifyEnd(sql`for update skip locked`) : query;
}

/**
 * Matches each SQLSTATE that is not the statement's fault: the server is unreachable, full,
 * read-only, shutting down or lets nobody in, or a lock or a time limit broke the transaction off.
 * Or tables, columns, keys or grants are missing, as while a backup is restored: the statements of a
 * release name nothing that its schema does not have.
 */
const postgresFailures =
  /^(08|28|3D000|3F000|42501|42703|42704|42883|42P01|42P10|53|57|58|40001|40P01|55000|55P03|25006|25P03)/;

/** Matches the error codes of Node's sockets when the server cannot be reached. */
const socketFailures = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOENT|EAI_)/;

const poolFailures = /Connection terminated|timeout exceeded when trying to connect|not queryable/;

/**
 * True when the database cannot work at the moment: it is locked, full or unreachable. On PostgreSQL
 * it is then unknown whether the transaction was committed; on SQLite it was not.
 */
export function isStoreFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|NOMEM)/.test(code) ||
    postgresFailures.test(code) ||
    socketFailures.test(code) ||
    poolFailures.test(error.message)
  );
}
