/** Every query on the table `logs` that lists or removes; inserting is in `logs.ts`. */

import { logCountMax } from "@tollgate/contract/logs.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database, Db } from "#db/database.ts";
import {
  consumption,
  hourSeconds,
  hoursOf,
  isUncharged,
  type LogFilter,
  matching,
  startOfHour,
} from "./log-filter.repo.ts";
import { sumCharged } from "./log-sums.repo.ts";
import type { LogRow } from "./logs.ts";

/** A row with the present name of its channel; null: none, or deleted. */
export type NamedLogRow = LogRow & { readonly channel_name: string | null };

/** A page of a list, and how many rows there are: `logCountMax` where there are more. */
type LogPage = { items: NamedLogRow[]; page: number; page_size: number; total: number };

/**
 * Newest first. Rows beyond `logCountMax` are neither counted nor reached.
 *
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
  // A page that is not full says itself how many there are.
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
 * Newest rows that are looked through for a filter without an index of its own. What is common is
 * among them; where the rest is, the roll-up knows.
 */
const newestRowsDefault = 20_000;

/** Whether the roll-up knows in which hours the charged calls of a filter are. */
function isRolledUp({ type, tokenName, requestId, afterId, ...filter }: LogFilter): boolean {
  const { modelName, group, channel, lookup } = filter;
  const isKnown = tokenName === "" && requestId === "" && afterId === 0;
  const isIndexed = modelName === "" && group === "" && channel === 0 && lookup === null;
  return isKnown && !isIndexed && (type === 0 || type === consumption);
}

/** When the newest rows begin; undefined: there are no others. */
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
 * Of a filter that has no index: the newest rows, then hour by hour those in which it has some.
 * A search for what nobody used looks at no row but the newest, however long the log is.
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

/** Unix seconds, both included; `end` 0: until now. */
type Span = { start: number; readonly end: number };

function within(filter: LogFilter, { start, end }: Span): LogFilter {
  const ends = [filter.end, end].filter((one) => one > 0);
  return {
    ...filter,
    start: Math.max(filter.start, start),
    end: ends.length === 0 ? 0 : Math.min(...ends),
  };
}

/** A list of queries longer than this takes more time than looking at a few hours in vain. */
const spansMax = 200;

/** Newest first: where the filter has rows before a moment, in few enough pieces. */
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

/** Hours that lie no further apart than this are one span. */
function join(hours: readonly number[], gap: number): Span[] {
  const spans: Span[] = [];
  for (const hour of hours) {
    const last = spans.at(-1);
    if (last !== undefined && last.start - hour <= gap) last.start = hour;
    else spans.push({ start: hour, end: hour + hourSeconds - 1 });
  }
  return spans;
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

async function count(db: Db, filter: LogFilter, now: number, byHours: boolean): Promise<number> {
  if (!byHours) return await countRows(db, matching(db, filter));
  const { calls } = await sumCharged(db, { ...filter, type: consumption }, now);
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

type ChargedRow = Pick<LogRow, "model_name" | "group" | "usage" | "write_off"> & {
  readonly price_version: number;
  /** JSON text of the price list; null: there is none. */
  readonly prices: string | null;
};

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
