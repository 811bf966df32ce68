/** The queries that list or remove rows of the table `logs`; `logs.ts` inserts them. */

import { logCountMax } from "@tollgate/contract/logs.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database, Db } from "#db/database.ts";
import {
  consumption,
  hourSeconds,
  hoursOf,
  isReversed,
  isUncharged,
  type LogFilter,
  matching,
  startOfHour,
} from "./log-filter.repo.ts";
import { sumCharged } from "./log-sums.repo.ts";
import type { LogRow } from "./logs.ts";

/**
 * A log row with the present name of its channel; null if the call had no channel or the channel
 * was removed.
 */
export type NamedLogRow = LogRow & { readonly channel_name: string | null };

/** One page of a list. `total` counts the rows of all pages, up to `logCountMax`. */
type LogPage = { items: NamedLogRow[]; page: number; page_size: number; total: number };

/**
 * Reads one page of log rows, newest first. Rows beyond `logCountMax` are neither counted nor
 * listed.
 * @param now Unix seconds.
 */
export async function pageLogs(
  db: Db,
  filter: LogFilter,
  { page, page_size }: PageWindow,
  now: number,
  newestRows = newestRowsDefault,
): Promise<LogPage> {
  const offset = (page - 1) * page_size;
  const since = isRolledUp(filter) ? await startOfNewest(db, newestRows) : undefined;
  const window = { offset, limit: offset >= logCountMax ? 0 : page_size };
  const rows =
    since === undefined
      ? await readRows(db, filter, window)
      : await readByHours(db, filter, window, since);
  // A page that is not full is the last one, so the number of rows up to its end is the total.
  const isLast = rows.length < page_size && (rows.length > 0 || page === 1);
  const total = isLast ? offset + rows.length : await count(db, filter, now, since !== undefined);
  return { items: await withChannelNames(db, rows), page, page_size, total };
}

type Window = { readonly offset: number; readonly limit: number };

async function readRows(db: Db, filter: LogFilter, { offset, limit }: Window): Promise<LogRow[]> {
  if (limit === 0) return [];
  return await newestFirst(matching(db, filter).selectAll("logs"), filter)
    .limit(limit)
    .offset(offset)
    .execute();
}

/**
 * How many of the newest rows are read for a filter that has no index. Frequent values are found
 * among these rows; for older rows the roll-up tells the hours to read.
 */
const newestRowsDefault = 20_000;

/**
 * Whether a filter has no index, but uses only columns of the roll-up, so that the roll-up tells in
 * which hours the matching calls are.
 */
function isRolledUp({ type, tokenName, requestId, afterId, ...filter }: LogFilter): boolean {
  const { modelName, group, channel, lookup } = filter;
  const isKnown = tokenName === "" && requestId === "" && afterId === 0;
  const isIndexed = modelName === "" && group === "" && channel === 0 && lookup === null;
  return isKnown && !isIndexed && (type === 0 || type === consumption);
}

/**
 * Finds the time after which the `newestRows` newest rows are; undefined when the log has no more
 * rows than these.
 */
async function startOfNewest(db: Db, newestRows: number): Promise<number | undefined> {
  const first = await db
    .selectFrom("logs")
    .select("created_at")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .offset(newestRows)
    .executeTakeFirst();
  return first?.created_at;
}

/**
 * Reads a page for a filter that has no index: first from the newest rows, then from those older
 * hours in which the roll-up has matching calls. If nothing matches, only the newest rows are read,
 * however long the log is.
 */
async function readByHours(
  db: Db,
  filter: LogFilter,
  { offset, limit }: Window,
  since: number,
): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  let skip = offset;
  const read = async (span: Span): Promise<void> => {
    const part = within(filter, span);
    const found = await readRows(db, part, { offset: skip, limit: limit - rows.length });
    rows.push(...found);
    if (found.length > 0) skip = 0;
    else if (skip > 0) skip -= Math.min(skip, await countRows(db, matching(db, part)));
  };
  await read({ start: since, end: 0 });
  const spans = rows.length < limit ? await spansBefore(db, filter, since) : [];
  for (const span of spans) {
    if (rows.length === limit) break;
    await read(span);
  }
  return rows;
}

/**
 * A span of time in Unix seconds; the seconds `start` and `end` are included. An `end` of 0 means
 * until now.
 */
type Span = { start: number; readonly end: number };

function within(filter: LogFilter, { start, end }: Span): LogFilter {
  const ends = [filter.end, end].filter((one) => one > 0);
  return {
    ...filter,
    start: Math.max(filter.start, start),
    end: ends.length === 0 ? 0 : Math.min(...ends),
  };
}

/**
 * The largest number of time spans that a list reads with one query each. More queries would take
 * longer than reading some hours without a match.
 */
const spansMax = 200;

/**
 * Finds the time spans before `before` in which the filter has rows, newest first, at most
 * `spansMax`.
 */
async function spansBefore(db: Db, filter: LogFilter, before: number): Promise<Span[]> {
  const wanted = within(filter, { start: 0, end: before - 1 });
  const charged = await hoursOf(db, filter)
    .where("hour", ">=", startOfHour(wanted.start))
    .where("hour", "<=", wanted.end)
    .select("hour")
    .distinct()
    .execute();
  const uncharged =
    filter.type === consumption
      ? []
      : await matching(db, wanted)
          .where(isUncharged)
          .select(sql<number>`created_at - created_at % ${sql.lit(hourSeconds)}`.as("hour"))
          .distinct()
          .execute();
  const hours = new Set([...charged, ...uncharged].map(({ hour }) => hour));
  const newestFirst = [...hours].toSorted((a, b) => b - a);
  let gap = hourSeconds;
  let spans = join(newestFirst, gap);
  while (spans.length > spansMax) {
    gap *= 2;
    spans = join(newestFirst, gap);
  }
  return spans.map((span) => ({ ...span, end: Math.min(span.end, before - 1) }));
}

/** Joins hours into spans: hours that are at most `gap` seconds apart become one span. */
function join(hours: readonly number[], gap: number): Span[] {
  const spans: Span[] = [];
  for (const hour of hours) {
    const last = spans.at(-1);
    if (last !== undefined && last.start - hour <= gap) last.start = hour;
    else spans.push({ start: hour, end: hour + hourSeconds - 1 });
  }
  return spans;
}

/**
 * Sorts rows newest first. If the filter asks for rows after an id, sorts by id, so that the
 * database does not read older rows.
 */
function newestFirst<Row>(
  rows: SelectQueryBuilder<Database, "logs", Row>,
  { afterId }: LogFilter,
): SelectQueryBuilder<Database, "logs", Row> {
  return afterId > 0
    ? rows.orderBy("id", "desc")
    : rows.orderBy("created_at", "desc").orderBy("id", "desc");
}

async function count(db: Db, filter: LogFilter, now: number, byHours: boolean): Promise<number> {
  if (!byHours) return await countRows(db, matching(db, filter));
  const charged = { ...filter, type: consumption };
  const sums = await sumCharged(db, charged, now);
  // Calls whose charge was given back are listed, but not included in the sums of charged calls.
  const reversed = await countRows(db, matching(db, charged).where(isReversed));
  const calls = sums.calls + reversed;
  if (filter.type === consumption || calls >= logCountMax) return Math.min(calls, logCountMax);
  const others = await countRows(db, matching(db, filter).where(isUncharged));
  return Math.min(calls + others, logCountMax);
}

async function countRows(db: Db, rows: ReturnType<typeof matching>): Promise<number> {
  const { total } = await db
    .selectFrom(rows.select("logs.id").limit(logCountMax).as("counted"))
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

/**
 * Reads the stored usage and prices from which a row's charge was computed; null if the user has no
 * such row. With `userId` null, finds a row of any user.
 */
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

type ChargedRow = Pick<LogRow, "model_name" | "group" | "usage" | "write_off"> & {
  readonly price_version: number;
  /**
   * JSON text of the price list by which the row was charged; null when the row has no price
   * version.
   */
  readonly prices: string | null;
};

/** Finds the call that a row is about; null: there is no such row. */
export async function findLog(
  db: Db,
  id: number,
): Promise<Pick<LogRow, "created_at" | "id" | "request_id" | "user_id"> | null> {
  const row = await db
    .selectFrom("logs")
    .select(["id", "request_id", "user_id", "created_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists the oldest rows before the time `before`, at most `limit` of them. */
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

/** @returns how many rows were removed: another node may have removed some of them before. */
export async function removeLogs(db: Db, ids: readonly number[]): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("logs")
    .where("id", "in", [...ids])
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
