/** The queries that list or remove rows of the table `logs`; `logs.ts` inserts them. */

import { logCountMax } from "@tollgate/contract/endpoints/logs.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { Db } from "#db/database.ts";
import { readTags } from "./answers/tags.repo.ts";
import { cleanedColumns, type CleanedRow } from "./cleaning/cleaned-hours.repo.ts";
import {
  consumption,
  isReversed,
  isUncharged,
  type LogFilter,
  matching,
  withoutToken,
} from "./log-filter.repo.ts";
import { readByHours } from "./log-hours.repo.ts";
import { countRows, readRows } from "./log-rows.repo.ts";
import { sumCharged } from "./log-sums.repo.ts";
import type { LogRow } from "./logs.ts";

/**
 * A log row with the present name of its channel, null if the call had no channel or the channel was
 * removed, and with its tags.
 */
export type NamedLogRow = LogRow & {
  readonly channel_name: string | null;
  readonly tags: readonly string[];
};

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
  return { items: await withNames(db, rows), page, page_size, total };
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
  if (filter.quotaMin > 0 || filter.sort !== undefined) return false;
  if ((filter.conversationId ?? 0) > 0 || (filter.ending ?? "") !== "") return false;
  if ((filter.tag ?? "") !== "") return false;
  const { modelName, group, lookup, tokens, tokenId, usageSource } = filter;
  const isNamed = tokenName === "" || (tokens !== undefined && !tokens.areMany);
  const isKnown = isNamed && requestId === "" && usageSource === "" && afterId === 0;
  const isOfFewUsers = tokens !== undefined && tokens.userIds.length <= usersReadMax;
  const isOfToken = lookup !== null || tokenId === withoutToken;
  const isOfChannel = filter.channel !== 0 || (filter.channelName ?? "") !== "";
  const isOther = modelName !== "" || group !== "" || isOfChannel || isOfToken;
  const needsRollUp = isOther || (tokens !== undefined && !isOfFewUsers);
  return isKnown && needsRollUp && (type === 0 || type === consumption);
}

/** The rows of so many users are read by the index of their ids, and sorted. */
const usersReadMax = 20;

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

/** Adds the present names of channels to rows, and their tags. */
export async function withNames(db: Db, rows: readonly LogRow[]): Promise<NamedLogRow[]> {
  const ids = [...new Set(rows.map(({ channel }) => channel))].filter((id) => id > 0);
  const channels =
    ids.length === 0
      ? []
      : await db.selectFrom("channels").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const tags = await readTags(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    channel_name: names.get(row.channel) ?? null,
    tags: tags.get(row.id) ?? [],
  }));
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
    .select(["logs.user_id", "quota"])
    .select("price_versions.content as prices")
    .where("logs.id", "=", id)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .executeTakeFirst();
  return row ?? null;
}

type ChargedRow = Pick<
  LogRow,
  "group" | "model_name" | "quota" | "usage" | "user_id" | "write_off"
> & {
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

/** @returns the rows that were removed: another node may have removed some of them before. */
export async function removeLogs(db: Db, ids: readonly number[]): Promise<CleanedRow[]> {
  return await db
    .deleteFrom("logs")
    .where("id", "in", [...ids])
    .returning(cleanedColumns)
    .execute();
}
