/**
 * The table of the texts of calls. On SQLite it is in a file of its own, on PostgreSQL it is
 * partitioned by day. It is created when it is first used, not by a migration.
 */

import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";

export type TranscriptTable = {
  /** UTC day on which the call ended: whole days since 1970. */
  readonly day: number;
  readonly request_id: string;
  readonly user_id: number;
  /** Unix seconds. */
  readonly created_at: number;
  /** The text, compressed (zstd) and then sealed; empty: no text. */
  readonly prompt: Uint8Array;
  readonly completion: Uint8Array;
  /** Bytes of the whole text, of which only the beginning may be stored. */
  readonly prompt_bytes: number;
  readonly completion_bytes: number;
};

type Tables = { transcripts: TranscriptTable };

/** The connection of the worker that has this table, which is not one of the schema. */
function tablesOf(db: Db): Kysely<Tables> {
  return db.withTables<Tables>();
}

/** The number by which nodes lock the creation of tables, so that two do not create the same one. */
const tableLock = 7_246_001;

/** Creates the table if it does not exist. */
export async function createTable(tx: Db): Promise<void> {
  if (dialectOf(tx) === "sqlite") {
    await sql`
      create table if not exists transcripts (
        day integer not null,
        request_id text not null,
        user_id integer not null,
        created_at integer not null,
        prompt blob not null,
        completion blob not null,
        prompt_bytes integer not null,
        completion_bytes integer not null,
        primary key (day, request_id)
      ) strict
    `.execute(tx);
  } else {
    await sql`select pg_advisory_xact_lock(${sql.lit(tableLock)})`.execute(tx);
    await sql`
      create table if not exists transcripts (
        day bigint not null,
        request_id text not null,
        user_id bigint not null,
        created_at bigint not null,
        prompt bytea not null,
        completion bytea not null,
        prompt_bytes bigint not null,
        completion_bytes bigint not null,
        primary key (day, request_id)
      ) partition by range (day)
    `.execute(tx);
  }
  await sql`create index if not exists transcripts_user on transcripts (user_id)`.execute(tx);
}

/** Inserts rows; a row that is there already stays as it is. */
export async function insertRows(tx: Db, rows: readonly TranscriptTable[]): Promise<void> {
  if (dialectOf(tx) === "postgres") {
    const days = [...new Set(rows.map(({ day }) => day))];
    await createPartitions(tx, days);
  }
  await tablesOf(tx)
    .insertInto("transcripts")
    .values([...rows])
    .onConflict((conflict) => conflict.columns(["day", "request_id"]).doNothing())
    .execute();
}

const partitionPrefix = "transcripts_";

async function createPartitions(tx: Db, days: readonly number[]): Promise<void> {
  const existing = new Set(await listPartitions(tx));
  const missing = days.filter((day) => !existing.has(day));
  if (missing.length === 0) return;
  await sql`select pg_advisory_xact_lock(${sql.lit(tableLock)})`.execute(tx);
  for (const day of missing) {
    await sql`
      create table if not exists ${sql.table(`${partitionPrefix}${day}`)}
      partition of transcripts for values from (${sql.lit(day)}) to (${sql.lit(day + 1)})
    `.execute(tx);
  }
}

/** Lists the days that have a partition. */
async function listPartitions(tx: Db): Promise<number[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass('transcripts')
  `.execute(tx);
  return rows.map(({ name }) => Number(name.slice(partitionPrefix.length)));
}

export async function findRow(
  db: Db,
  call: { readonly requestId: string; readonly days: readonly number[] },
): Promise<TranscriptTable | undefined> {
  return await tablesOf(db)
    .selectFrom("transcripts")
    .selectAll()
    .where("day", "in", [...call.days])
    .where("request_id", "=", call.requestId)
    .executeTakeFirst();
}

/** Which texts are removed. */
export type Removal =
  | { readonly kind: "all" }
  /** Texts of calls that ended before a time in Unix seconds. */
  | { readonly kind: "before"; readonly before: number }
  /** Texts of all days before a day. */
  | { readonly kind: "days"; readonly before: number }
  | { readonly kind: "users"; readonly ids: readonly number[] };

/**
 * Removes at most `limit` texts.
 * @returns how many there were. On PostgreSQL whole days go at once, and are counted first.
 */
export async function removeRows(tx: Db, removal: Removal, limit: number): Promise<number> {
  const isPostgres = dialectOf(tx) === "postgres";
  if (isPostgres && removal.kind === "days") return await dropDays(tx, removal.before);
  if (isPostgres && removal.kind === "all") return await dropDays(tx, Infinity);
  const tables = tablesOf(tx);
  const all = tables.selectFrom("transcripts").select(["day", "request_id"]);
  const wanted = narrow(all, removal).orderBy("day").orderBy("request_id").limit(limit);
  const { numDeletedRows } = await tables
    .deleteFrom("transcripts")
    .where((eb) => eb(eb.refTuple("day", "request_id"), "in", wanted.$asTuple("day", "request_id")))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function narrow<Row>(
  rows: SelectQueryBuilder<Tables, "transcripts", Row>,
  removal: Removal,
): SelectQueryBuilder<Tables, "transcripts", Row> {
  switch (removal.kind) {
    case "all":
      return rows;
    case "before":
      return rows.where("created_at", "<", removal.before);
    case "days":
      return rows.where("day", "<", removal.before);
    case "users":
      return rows.where("user_id", "in", [...removal.ids]);
  }
}

async function dropDays(tx: Db, before: number): Promise<number> {
  const days = (await listPartitions(tx)).filter((day) => day < before);
  let count = 0;
  for (const day of days) {
    const table = sql.table(`${partitionPrefix}${day}`);
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${table}`.execute(
      tx,
    );
    count += rows[0]?.count ?? 0;
    await sql`drop table ${table}`.execute(tx);
  }
  return count;
}
