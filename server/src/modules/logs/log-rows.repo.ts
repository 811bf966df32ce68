/** Reads and counts log rows by a filter, whichever way their times were found. */

import { logCountMax } from "@tollgate/contract/endpoints/logs.ts";
import type { SelectQueryBuilder } from "kysely";
import type { Database, Db } from "#db/database.ts";
import { type LogFilter, matching } from "./log-filter.repo.ts";
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
  if (offset === 0) {
    return await newestFirst(matching(db, filter).selectAll("logs"), filter).limit(limit).execute();
  }
  const wanted = newestFirst(matching(db, filter).select("logs.id"), filter)
    .limit(limit)
    .offset(offset);
  const rows = db.selectFrom("logs").selectAll("logs").where("logs.id", "in", wanted);
  return await newestFirst(rows, filter).execute();
}

/**
 * Sorts rows newest first, or by their quota if the filter says so. If the filter asks for rows
 * after an id, sorts by id, so that the database does not read older rows.
 */
function newestFirst<Row>(
  rows: SelectQueryBuilder<Database, "logs", Row>,
  { afterId, sort }: LogFilter,
): SelectQueryBuilder<Database, "logs", Row> {
  if (sort !== undefined && afterId === 0) {
    return rows.orderBy("quota", sort === "dearest" ? "desc" : "asc").orderBy("id", "desc");
  }
  return afterId > 0
    ? rows.orderBy("id", "desc")
    : rows.orderBy("created_at", "desc").orderBy("id", "desc");
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
