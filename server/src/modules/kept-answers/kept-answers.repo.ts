/**
 * The table of kept answers. On SQLite it is in the file of the texts of calls, on PostgreSQL in the
 * database. It is created when it is first used, not by a migration.
 */

import { type Kysely, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";

export type KeptAnswerTable = {
  readonly id: string;
  readonly user_id: number;
  /** UTC day on which the answer ended: whole days since 1970. */
  readonly day: number;
  /** Unix milliseconds. */
  readonly created_at: number;
  /** Input and answer, compressed (zstd) and then sealed. */
  readonly input: Uint8Array;
  readonly answer: Uint8Array;
};

type Tables = { kept_answers: KeptAnswerTable };

/** The connection of the worker that has this table, which is not one of the schema. */
function tablesOf(db: Db): Kysely<Tables> {
  return db.withTables<Tables>();
}

/** The number by which nodes lock the creation of the table. */
const tableLock = 7_246_002;

/** Creates the table if it does not exist. */
export async function createTable(tx: Db): Promise<void> {
  const isSqlite = dialectOf(tx) === "sqlite";
  if (!isSqlite) await sql`select pg_advisory_xact_lock(${sql.lit(tableLock)})`.execute(tx);
  const whole = sql.raw(isSqlite ? "integer" : "bigint");
  const bytes = sql.raw(isSqlite ? "blob" : "bytea");
  await sql`
    create table if not exists kept_answers (
      user_id ${whole} not null,
      id text not null,
      day ${whole} not null,
      created_at ${whole} not null,
      input ${bytes} not null,
      answer ${bytes} not null,
      primary key (user_id, id)
    ) ${sql.raw(isSqlite ? "strict" : "")}
  `.execute(tx);
  await sql`create index if not exists kept_answers_day on kept_answers (day)`.execute(tx);
}

/** Inserts rows; a row that is there already stays as it is. */
export async function insertRows(tx: Db, rows: readonly KeptAnswerTable[]): Promise<void> {
  await tablesOf(tx)
    .insertInto("kept_answers")
    .values([...rows])
    .onConflict((conflict) => conflict.columns(["user_id", "id"]).doNothing())
    .execute();
}

/** Keeps the newest rows of a user, and removes the others. */
export async function removeOldest(tx: Db, userId: number, count: number): Promise<void> {
  const tables = tablesOf(tx);
  const newest = tables
    .selectFrom("kept_answers")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(count);
  await tables
    .deleteFrom("kept_answers")
    .where("user_id", "=", userId)
    .where("id", "not in", newest)
    .execute();
}

export async function findRow(
  db: Db,
  id: string,
  userId: number,
): Promise<KeptAnswerTable | undefined> {
  return await tablesOf(db)
    .selectFrom("kept_answers")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Which answers are removed. */
export type Removal =
  | { readonly kind: "one"; readonly id: string; readonly userId: number }
  /** Answers of all days before a day. */
  | { readonly kind: "days"; readonly before: number }
  | { readonly kind: "users"; readonly ids: readonly number[] };

/**
 * Removes at most `limit` answers.
 * @returns how many there were.
 */
export async function removeRows(tx: Db, removal: Removal, limit: number): Promise<number> {
  const tables = tablesOf(tx);
  const all = tables.selectFrom("kept_answers").select(["user_id", "id"]);
  const wanted = (
    removal.kind === "one"
      ? all.where("user_id", "=", removal.userId).where("id", "=", removal.id)
      : removal.kind === "days"
        ? all.where("day", "<", removal.before)
        : all.where("user_id", "in", [...removal.ids])
  ).limit(limit);
  const { numDeletedRows } = await tables
    .deleteFrom("kept_answers")
    .where((eb) => eb(eb.refTuple("user_id", "id"), "in", wanted.$asTuple("user_id", "id")))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
