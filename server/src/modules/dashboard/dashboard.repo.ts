/** Queries of the dashboard on the hourly roll-up `usage_hours` and on the log rows beside it. */

import {
  type DearestCall,
  dearestMax,
  type QuotaData,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import { bucketOf } from "#canonical/attempts.ts";
import type { Database, Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { countFirstBytes } from "#modules/channel-statistics/channel-statistics.ts";
import { firstByteColumns, firstByteOf } from "#modules/logs/logs.ts";

/** A span of whole hours in Unix seconds; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** Which calls are summed. A field that is empty, 0 or null matches every call. */
export type CallFilter = {
  readonly userId: number | null;
  readonly username: string;
  readonly tokenId: number;
  readonly modelName: string;
  readonly group: string;
  readonly channel: number;
};

const consumption = 2;
const failure = 5;

/** Returns the conditions on the columns that `logs` and the roll-ups share. */
function shared(
  eb:
    | ExpressionBuilder<Database, "cleaned_hours">
    | ExpressionBuilder<Database, "logs">
    | ExpressionBuilder<Database, "usage_hours">,
  filter: CallFilter,
): Expression<SqlBool>[] {
  // The cast is sound because all three tables have all columns that are named here.
  const on = eb as ExpressionBuilder<Database, "usage_hours">;
  const where: Expression<SqlBool>[] = [];
  if (filter.userId !== null) where.push(on("user_id", "=", filter.userId));
  if (filter.username !== "") {
    const named = on.selectFrom("users").select("users.id");
    where.push(on("user_id", "=", named.where("users.username", "=", filter.username)));
  }
  if (filter.tokenId !== 0) where.push(on("token_id", "=", filter.tokenId));
  if (filter.modelName !== "") where.push(on("model_name", "=", filter.modelName));
  if (filter.group !== "") where.push(on("group", "=", filter.group));
  return where;
}

function hoursOf(db: Db, filter: CallFilter, { start, end }: Span) {
  return db
    .selectFrom("usage_hours")
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .where((eb) => {
      const where = shared(eb, filter);
      if (filter.channel !== 0) where.push(eb("channel_id", "=", filter.channel));
      return eb.and(where);
    });
}

function rowsOf(db: Db, filter: CallFilter, { start, end }: Span) {
  return db
    .selectFrom("logs")
    .where("logs.created_at", ">=", start)
    .where("logs.created_at", "<", end)
    .where((eb) => {
      const where = shared(eb, filter);
      if (filter.channel !== 0) where.push(eb("channel", "=", filter.channel));
      return eb.and(where);
    });
}

/** Finds what removed log rows said; see `modules/logs/cleaning/cleaned-hours.repo.ts`. */
function cleanedOf(db: Db, filter: CallFilter, { start, end }: Span) {
  return db
    .selectFrom("cleaned_hours")
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .where((eb) => {
      const where = shared(eb, filter);
      if (filter.channel !== 0) where.push(eb("channel_id", "=", filter.channel));
      return eb.and(where);
    });
}

/** Counts the charged and the failed calls whose rows were removed. */
async function countCleaned(
  db: Db,
  filter: CallFilter,
  span: Span,
): Promise<{ calls: number; failures: number }> {
  return await cleanedOf(db, filter, span)
    .select(sql<number>`coalesce(sum(calls), 0)`.as("calls"))
    .select(sql<number>`coalesce(sum(failures), 0)`.as("failures"))
    .executeTakeFirstOrThrow();
}

const summed = [
  sql<number>`coalesce(sum(quota), 0)`.as("quota"),
  sql<number>`coalesce(sum(request_count), 0)`.as("calls"),
  sql<number>`coalesce(sum(prompt_tokens), 0)`.as("prompt_tokens"),
  sql<number>`coalesce(sum(completion_tokens), 0)`.as("completion_tokens"),
] as const;

/** Counts the calls that failed or were interrupted. */
export async function countFailures(db: Db, filter: CallFilter, span: Span): Promise<number> {
  const { count } = await rowsOf(db, filter, span)
    .where("type", "=", failure)
    // Repeats the condition of the partial index on the rows that are not charged calls.
    .where(sql<SqlBool>`type <> 2`)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const { failures } = await countCleaned(db, filter, span);
  return Number(count) + Number(failures);
}

/** Charged calls, and their tokens, from a time on. */
export async function readRates(
  db: Db,
  filter: CallFilter,
  span: Span,
): Promise<{ rpm: number; tpm: number }> {
  return await rowsOf(db, filter, span)
    .where("type", "=", consumption)
    .select((eb) => eb.fn.countAll<number>().as("rpm"))
    .select(sql<number>`coalesce(sum(prompt_tokens + completion_tokens), 0)`.as("tpm"))
    .executeTakeFirstOrThrow();
}

/** The number of newest calls whose rows are read for their times to the first byte. */
const timedCallsMax = 100_000;

/** How many characters of a row are read from where its time to the first byte begins. */
const timeLength = 32;

/**
 * Counts the times to the first byte of charged calls by bucket: of the newest rows, and if these
 * are all there are, of the rows that were removed.
 */
export async function readCallTimes(db: Db, filter: CallFilter, span: Span): Promise<number[]> {
  const name = sql.lit(`"frt":`);
  const from =
    dialectOf(db) === "postgres" ? sql`position(${name} in other)` : sql`instr(other, ${name})`;
  const rows = await rowsOf(db, filter, span)
    .where("type", "=", consumption)
    .select(sql<string>`substr(other, ${from}, ${sql.lit(timeLength)})`.as("time"))
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(timedCallsMax)
    .execute();
  const counts = firstByteColumns.map(() => 0);
  for (const { time } of rows) {
    const ms = firstByteOf(time);
    if (ms === null) continue;
    const bucket = bucketOf(ms);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  if (rows.length === timedCallsMax) return counts;
  const sums = firstByteColumns.map((column) =>
    sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as(column),
  );
  const cleaned = await cleanedOf(db, filter, span).select(sums).executeTakeFirstOrThrow();
  return counts.map((count, bucket) => {
    const column = firstByteColumns[bucket];
    return count + (column === undefined ? 0 : Number(cleaned[column]));
  });
}

/**
 * Counts the times to the first byte of attempts at channels, by bucket. Null: the filter names
 * what attempts are not counted by.
 */
export async function readFirstBytes(
  db: Db,
  { userId, username, tokenId, group, modelName, channel }: CallFilter,
  span: Span,
): Promise<number[] | null> {
  if (userId !== null || username !== "" || tokenId !== 0 || group !== "") return null;
  return await countFirstBytes(db, span, { modelName, channelId: channel });
}

/** The number of newest calls among which the most expensive ones are searched. */
const comparedCallsMax = 100_000;

/** Lists the most expensive calls of a span whose charge was not given back. */
export async function listDearest(
  db: Db,
  filter: CallFilter,
  span: Span,
  calls: number,
): Promise<{ rows: DearestCall[]; isOfAll: boolean }> {
  const newest = rowsOf(db, filter, span)
    .where("type", "=", consumption)
    .select(["logs.id", "reversed", "refunded"])
    .select(sql<number>`logs.quota + logs.rerated`.as("quota"))
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(comparedCallsMax);
  const found = await db
    .selectFrom(newest.as("newest"))
    .select("id")
    .where("reversed", "=", 0)
    .where("refunded", "=", 0)
    .where("quota", ">", 0)
    .orderBy("quota", "desc")
    .orderBy("id", "desc")
    .limit(dearestMax)
    .execute();
  const ids = found.map(({ id }) => id);
  const cleaned = await countCleaned(db, filter, span);
  const isOfAll = calls <= comparedCallsMax && Number(cleaned.calls) === 0;
  if (ids.length === 0) return { rows: [], isOfAll };
  const rows = await db
    .selectFrom("logs")
    .select(["id", "request_id", "created_at", "username", "token_name", "model_name", "quota"])
    .select(["prompt_tokens", "completion_tokens"])
    .where("id", "in", ids)
    .orderBy("quota", "desc")
    .orderBy("id", "desc")
    .execute();
  return { rows, isOfAll };
}

/** The largest number of rows that `listData` returns. */
const dataRowsMax = 100_000;

/** Counts the calls by hour and group that failed by no fault of their clients, of removed rows. */
export async function readCleanedFaults(db: Db, start: number) {
  return await db
    .selectFrom("cleaned_hours")
    .select(["group", "hour"])
    .select(sql<number>`coalesce(sum(faults), 0)`.as("faults"))
    .where("hour", ">=", start)
    .where("faults", ">", 0)
    .groupBy(["group", "hour"])
    .execute();
}

/** Lists the charges by hour and model in one-api's form, oldest first. */
export async function listData(
  db: Db,
  filter: CallFilter,
  { start, end }: Span,
): Promise<QuotaData[]> {
  const user =
    filter.userId === null && filter.username === ""
      ? undefined
      : await db
          .selectFrom("users")
          .select(["id", "username"])
          .where((eb) =>
            filter.userId === null
              ? eb("username", "=", filter.username)
              : eb("id", "=", filter.userId),
          )
          .executeTakeFirst();
  const rows = await hoursOf(db, filter, { start, end })
    .select(["hour as created_at", "model_name"])
    .select(summed)
    .groupBy(["hour", "model_name"])
    .orderBy("hour")
    .orderBy("model_name")
    .limit(dataRowsMax)
    .execute();
  return rows.map(({ created_at, model_name, quota, calls, prompt_tokens, completion_tokens }) => ({
    id: 0,
    user_id: user?.id ?? 0,
    username: user?.username ?? "",
    model_name,
    created_at,
    token_used: prompt_tokens + completion_tokens,
    count: calls,
    quota,
  }));
}
