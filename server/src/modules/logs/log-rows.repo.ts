/** Reads and counts log rows by a filter, whichever way their times were found. */

import { logCountMax } from "@tollgate/contract/endpoints/logs.ts";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database, Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { type LogFilter, matching, taggedSo } from "./log-filter.repo.ts";
import type { LogRow } from "./logs.ts";

/** Which of the matching rows are read. */
export type Window = { readonly offset: number; readonly limit: number };

/**
 * Reads matching rows, newest first. Of the rows before the window only the index is read, so that
 * a late page costs little more than the first.
 */
export async function readRows(
  db: Db,
  filter: LogFilter,
  { offset, limit }: Window,
): Promise<LogRow[]> {
  if (limit === 0) return [];
  if (isOfTagAlone(filter)) {
    const tagged = db
      .selectFrom("log_tags")
      .select("log_id")
      .where(taggedSo(filter))
      .orderBy("created_at", "desc")
      .orderBy("log_id", "desc")
      .limit(limit)
      .offset(offset);
    const rows = db.selectFrom("logs").selectAll("logs").where("logs.id", "in", tagged);
    return await newestFirst(db, rows, filter).execute();
  }
  if (isOfTag(filter)) return await readTagged(db, filter, { offset, limit });
  if (offset === 0) {
    return await newestFirst(db, matching(db, filter).selectAll("logs"), filter)
      .limit(limit)
      .execute();
  }
  const wanted = newestFirst(db, matching(db, filter).select("logs.id"), filter)
    .limit(limit)
    .offset(offset);
  const rows = db.selectFrom("logs").selectAll("logs").where("logs.id", "in", wanted);
  return await newestFirst(db, rows, filter).execute();
}

/** Whether the table of tags has the order of a list. */
function isOfTag({ afterId, sort, tag = "" }: LogFilter): boolean {
  return tag !== "" && sort === undefined && afterId === 0;
}

/** Reads rows in the order of the table of tags, so that none before the window's end is sorted. */
async function readTagged(db: Db, filter: LogFilter, window: Window): Promise<LogRow[]> {
  const tagged = db
    .selectFrom("log_tags")
    .select(["log_id", "log_tags.created_at as tagged_at"])
    .where(taggedSo(filter));
  const rows = matching(db, { ...filter, tag: "", start: 0, end: 0 });
  if (dialectOf(db) === "postgres") {
    // Row by row: it might find another index better, of which it reads all that it has.
    const one = rows.whereRef("logs.id", "=", sql.ref("tagged.log_id")).selectAll("logs").offset(0);
    return await db
      .selectFrom(tagged.as("tagged"))
      .innerJoinLateral(one.as("one"), (join) => join.onTrue())
      .selectAll("one")
      .orderBy("tagged_at", "desc")
      .orderBy("log_id", "desc")
      .limit(window.limit)
      .offset(window.offset)
      .execute();
  }
  return await rows
    .innerJoin(tagged.as("tagged"), "tagged.log_id", "logs.id")
    .selectAll("logs")
    .orderBy("tagged_at", "desc")
    .orderBy("log_id", "desc")
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

/** Whether the table of tags has all that a filter names, and the order of the list. */
export function isOfTagAlone(filter: LogFilter): boolean {
  const { tag = "", ending = "", conversationId = 0, channelName = "", tokens } = filter;
  if (tag === "" || filter.sort !== undefined || filter.lookup !== null) return false;
  const { username, tokenName, modelName, group, requestId, usageSource } = filter;
  const texts = [username, tokenName, modelName, group, requestId, usageSource];
  const { tokenId, type, channel, afterId, quotaMin } = filter;
  const numbers = [tokenId, type, channel, afterId, quotaMin, conversationId];
  const isOther = [...texts, ending, channelName].some((text) => text !== "");
  return !isOther && tokens === undefined && numbers.every((number) => number === 0);
}

/**
 * Sorts rows newest first, or by a column if the filter names one. If the filter asks for rows
 * after an id, sorts by id, so that the database does not read older rows.
 */
export function newestFirst<Row>(
  db: Db,
  rows: SelectQueryBuilder<Database, "logs", Row>,
  { afterId, sort }: LogFilter,
): SelectQueryBuilder<Database, "logs", Row> {
  if (sort !== undefined && afterId === 0) {
    const { by, order } = sort;
    const sorted =
      by === "first_byte"
        ? rows.orderBy(firstByteOf(db, order), order)
        : rows.orderBy(`logs.${by}`, order);
    return sorted.orderBy("id", "desc");
  }
  return afterId > 0
    ? rows.orderBy("id", "desc")
    : rows.orderBy("created_at", "desc").orderBy("id", "desc");
}

/** The time to the first byte in milliseconds, which `other` has; rows without it are last. */
function firstByteOf(db: Db, order: "asc" | "desc") {
  const none = sql.lit(order === "asc" ? Number.MAX_SAFE_INTEGER : -1);
  if (dialectOf(db) === "postgres") {
    return sql<number>`coalesce(cast(substring(logs.other from '"frt":([0-9]{1,15})') as bigint), ${none})`;
  }
  return sql<number>`case when instr(logs.other, '"frt":') > 0
    then cast(substr(logs.other, instr(logs.other, '"frt":') + 6, 15) as integer) else ${none} end`;
}

/** Counts rows, up to `logCountMax`. */
export async function countRows(db: Db, rows: ReturnType<typeof matching>): Promise<number> {
  const { total } = await db
    .selectFrom(rows.select("logs.id").limit(logCountMax).as("counted"))
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * A span of time in Unix seconds; the seconds `start` and `end` are included. An `end` of 0 means
 * until now.
 */
export type Span = { readonly start: number; readonly end: number };

/** Narrows a filter to a span. */
export function within(filter: LogFilter, { start, end }: Span): LogFilter {
  const ends = [filter.end, end].filter((one) => one > 0);
  return {
    ...filter,
    start: Math.max(filter.start, start),
    end: ends.length === 0 ? 0 : Math.min(...ends),
  };
}
