/** Every query on the table `logs` that lists, sums or removes; inserting is in `logs.ts`. */

import { logCountMax, type LogStat } from "contract/logs.ts";
import type { PageWindow } from "contract/page.ts";
import {
  type Expression,
  type ExpressionBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from "kysely";
import type { Database, Db } from "#db/database.ts";
import { contains, startsWith } from "#db/text-search.ts";
import type { LogRow } from "./logs.ts";

/** Which rows; what is empty, 0 or null does not narrow. */
export type LogFilter = {
  readonly userId: number | null;
  readonly username: string;
  /** Keyed hash of a token's key. */
  readonly lookup: string | null;
  readonly tokenName: string;
  readonly modelName: string;
  readonly type: number;
  /** Unix seconds, inclusive, as is `end`. */
  readonly start: number;
  readonly end: number;
  readonly channel: number;
  readonly group: string;
  /** Rows that came after this one. */
  readonly afterId: number;
  /** Without an index: looked for among a user's rows from `start` on. */
  readonly requestId: string;
};

/** A row with the present name of its channel; null: none, or deleted. */
export type NamedLogRow = LogRow & { readonly channel_name: string | null };

type Where = Expression<SqlBool>[];

const consumption = 2;

/** What a filter says of columns that `logs` and `usage_hours` share. */
function shared(
  eb: ExpressionBuilder<Database, "logs"> | ExpressionBuilder<Database, "usage_hours">,
  filter: LogFilter,
): Where {
  // Both tables have the columns that are named here.
  const on = eb as ExpressionBuilder<Database, "logs">;
  const where: Where = [];
  if (filter.userId !== null) where.push(on("user_id", "=", filter.userId));
  if (filter.username !== "") {
    const named = on.selectFrom("users").select("users.id");
    where.push(on("user_id", "=", named.where("users.username", "=", filter.username)));
  }
  if (filter.lookup !== null) {
    const token = on.selectFrom("tokens").where("tokens.lookup", "=", filter.lookup);
    // The owner's rows have an index, the token's have none.
    where.push(on("user_id", "=", token.select("tokens.user_id")));
    where.push(on("token_id", "=", token.select("tokens.id")));
  }
  if (filter.modelName !== "") where.push(likeModel(filter.modelName));
  if (filter.group !== "") where.push(on("group", "=", filter.group));
  return where;
}

/** `gpt-4%` is a start, as consoles of the family write it; anything else a part. */
function likeModel(text: string): Expression<SqlBool> {
  return text.endsWith("%")
    ? startsWith("model_name", text.slice(0, -1))
    : contains("model_name", text);
}

/** Rows of the filter; `consumption` alone for sums. */
function matching(db: Db, filter: LogFilter) {
  return db.selectFrom("logs").where((eb) => {
    const where = shared(eb, filter);
    if (filter.type !== 0) where.push(eb("type", "=", filter.type));
    // Said in full, because the index of the other types holds by this very condition.
    if (filter.type !== 0 && filter.type !== consumption) where.push(sql<SqlBool>`type <> 2`);
    if (filter.tokenName !== "") where.push(eb("token_name", "=", filter.tokenName));
    if (filter.channel !== 0) where.push(eb("channel", "=", filter.channel));
    if (filter.start > 0) where.push(eb("logs.created_at", ">=", filter.start));
    if (filter.end > 0) where.push(eb("logs.created_at", "<=", filter.end));
    if (filter.afterId > 0) where.push(eb("logs.id", ">", filter.afterId));
    if (filter.requestId !== "") where.push(eb("request_id", "=", filter.requestId));
    return eb.and(where);
  });
}

/** Newest first. Rows beyond `logCountMax` are neither counted nor reached. */
export async function pageLogs(
  db: Db,
  filter: LogFilter,
  { page, page_size }: PageWindow,
): Promise<{ items: NamedLogRow[]; page: number; page_size: number; total: number }> {
  const offset = (page - 1) * page_size;
  const rows =
    offset >= logCountMax
      ? []
      : await newestFirst(matching(db, filter).selectAll("logs"), filter)
          .limit(page_size)
          .offset(offset)
          .execute();
  // A page that is not full says itself how many there are.
  const isLast = rows.length < page_size && (rows.length > 0 || page === 1);
  const total = isLast ? offset + rows.length : await countRows(db, filter);
  return { items: await withChannelNames(db, rows), page, page_size, total };
}

/** Who asks for what came since gets it by id, so that no older row is looked at. */
function newestFirst<Row>(
  rows: SelectQueryBuilder<Database, "logs", Row>,
  { afterId }: LogFilter,
): SelectQueryBuilder<Database, "logs", Row> {
  return afterId > 0
    ? rows.orderBy("id", "desc")
    : rows.orderBy("created_at", "desc").orderBy("id", "desc");
}

async function countRows(db: Db, filter: LogFilter): Promise<number> {
  const { total } = await db
    .selectFrom(matching(db, filter).select("logs.id").limit(logCountMax).as("counted"))
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

async function withChannelNames(db: Db, rows: readonly LogRow[]): Promise<NamedLogRow[]> {
  const ids = [...new Set(rows.map(({ channel }) => channel))].filter((id) => id > 0);
  const channels =
    ids.length === 0
      ? []
      : await db.selectFrom("channels").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, channel_name: names.get(row.channel) ?? null }));
}

/** What one row was charged by; null: there is no such row of this user. `userId` null: anybody's. */
export async function findCharge(
  db: Db,
  id: number,
  userId: number | null,
): Promise<ChargedRow | null> {
  const row = await db
    .selectFrom("logs")
    .leftJoin("price_versions", "price_versions.id", "logs.price_version")
    .select(["model_name", "group", "usage", "write_off", "logs.price_version"])
    .select("price_versions.content as prices")
    .where("logs.id", "=", id)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .executeTakeFirst();
  return row ?? null;
}

export type ChargedRow = Pick<LogRow, "model_name" | "group" | "usage" | "write_off"> & {
  readonly price_version: number;
  /** JSON text of the price list; null: there is none. */
  readonly prices: string | null;
};

/** Rows a sum looks at where the roll-up does not know the filter; beyond it a sum is too low. */
const sumRowsMax = 500_000;

/** Seconds of the window in which calls a minute are counted. */
const rateWindow = 60;

const hour = 3_600;

/** @param now Unix seconds. */
export async function sumLogs(db: Db, filter: LogFilter, now: number): Promise<LogStat> {
  const charged = { ...filter, type: consumption };
  const recent = matching(db, { ...charged, start: now - rateWindow + 1, end: 0 });
  const { rpm, tpm } = await recent
    .select((eb) => eb.fn.countAll<number>().as("rpm"))
    .select(sql<number>`coalesce(sum(prompt_tokens + completion_tokens), 0)`.as("tpm"))
    .executeTakeFirstOrThrow();
  return { quota: await sumQuota(db, charged, now), rpm, tpm };
}

/**
 * Whole hours come from the roll-up, what is left of an hour at either end from its rows. The
 * roll-up keeps hours whose rows were cleaned away, so the sum starts at the oldest row there is.
 */
async function sumQuota(db: Db, filter: LogFilter, now: number): Promise<number> {
  if (filter.tokenName !== "") return await sumRows(db, filter);
  const oldest = await db
    .selectFrom("logs")
    .select("created_at")
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return 0;
  const start = Math.max(filter.start, oldest.created_at);
  // Behind the present second there is nothing, so the hour it is in counts as whole.
  const end = filter.end > 0 && filter.end < now ? filter.end + 1 : startOfHour(now) + hour;
  const firstHour = startOfHour(start + hour - 1);
  const endHour = startOfHour(end);
  if (firstHour >= endHour) return await sumRows(db, { ...filter, start, end: end - 1 });
  return (
    (await sumHours(db, filter, firstHour, endHour)) +
    (start < firstHour ? await sumRows(db, { ...filter, start, end: firstHour - 1 }) : 0) +
    (endHour < end ? await sumRows(db, { ...filter, start: endHour, end: end - 1 }) : 0)
  );
}

function startOfHour(seconds: number): number {
  return seconds - (seconds % hour);
}

async function sumHours(db: Db, filter: LogFilter, from: number, to: number): Promise<number> {
  const { quota } = await db
    .selectFrom("usage_hours")
    .where((eb) => {
      const where = shared(eb, filter);
      if (filter.channel !== 0) where.push(eb("channel_id", "=", filter.channel));
      return eb.and([...where, eb("hour", ">=", from), eb("hour", "<", to)]);
    })
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .executeTakeFirstOrThrow();
  return quota;
}

async function sumRows(db: Db, filter: LogFilter): Promise<number> {
  if (filter.end > 0 && filter.end < filter.start) return 0;
  const { quota } = await db
    .selectFrom(matching(db, filter).select("logs.quota").limit(sumRowsMax).as("summed"))
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .executeTakeFirstOrThrow();
  return quota;
}

/** The oldest rows before a moment, at most `limit`. */
export async function listOldLogs(
  db: Db,
  before: number,
  limit: number,
): Promise<Pick<LogRow, "id" | "type">[]> {
  return await db
    .selectFrom("logs")
    .select(["id", "type"])
    .where("created_at", "<", before)
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

export async function removeLogs(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .deleteFrom("logs")
    .where("id", "in", [...ids])
    .execute();
}
