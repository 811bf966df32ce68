/**
 * Sums over the usage log: the quota and number of charged calls, and the rates of calls and tokens
 * in the last minute.
 */

import type { LogStat } from "@tollgate/contract/logs.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import {
  consumption,
  hourSeconds,
  hoursOf,
  type LogFilter,
  matching,
  startOfHour,
} from "./log-filter.repo.ts";

/**
 * The largest number of rows that a sum adds up where the roll-up cannot be used. If more rows
 * match, the sum is too low.
 */
const sumRowsMax = 500_000;

/** Calls and tokens per minute are counted over this many last seconds. */
const rateWindow = 60;

/**
 * Sums the quota of the charged calls that match a filter, and counts the calls and tokens of the
 * last minute.
 * @param now Unix seconds.
 */
export async function sumLogs(db: Db, filter: LogFilter, now: number): Promise<LogStat> {
  const charged = { ...filter, type: consumption };
  const recent = matching(db, { ...charged, start: now - rateWindow + 1, end: 0 });
  const { rpm, tpm } = await recent
    .select((eb) => eb.fn.countAll<number>().as("rpm"))
    .select(sql<number>`coalesce(sum(prompt_tokens + completion_tokens), 0)`.as("tpm"))
    .executeTakeFirstOrThrow();
  const { quota } = await sumCharged(db, charged, now);
  return { quota, rpm, tpm };
}

/** The quota units and the number of charged calls. */
type Sums = { readonly quota: number; readonly calls: number };

const none: Sums = { quota: 0, calls: 0 };

/**
 * Adds up charged calls: whole hours from the roll-up, incomplete hours at both ends from the log
 * rows. The sum starts at the oldest log row, because the roll-up still has the hours whose log
 * rows were removed by a cleaning.
 */
export async function sumCharged(db: Db, filter: LogFilter, now: number): Promise<Sums> {
  if (filter.tokenName !== "") return await sumRows(db, filter);
  const oldest = await db
    .selectFrom("logs")
    .select("created_at")
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return none;
  const start = Math.max(filter.start, oldest.created_at);
  // No row has a time after `now`, so the roll-up's row of the current hour contains nothing too
  // late.
  const end = filter.end > 0 && filter.end < now ? filter.end + 1 : startOfHour(now) + hourSeconds;
  const firstHour = startOfHour(start + hourSeconds - 1);
  const endHour = startOfHour(end);
  if (firstHour >= endHour) return await sumRows(db, { ...filter, start, end: end - 1 });
  const parts = [await sumHours(db, filter, firstHour, endHour)];
  if (start < firstHour) parts.push(await sumRows(db, { ...filter, start, end: firstHour - 1 }));
  if (endHour < end) parts.push(await sumRows(db, { ...filter, start: endHour, end: end - 1 }));
  return {
    quota: parts.reduce((sum, { quota }) => sum + quota, 0),
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
  };
}

async function sumHours(db: Db, filter: LogFilter, from: number, to: number): Promise<Sums> {
  return await hoursOf(db, filter)
    .where("hour", ">=", from)
    .where("hour", "<", to)
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .select(sql<number>`coalesce(sum(request_count), 0)`.as("calls"))
    .executeTakeFirstOrThrow();
}

async function sumRows(db: Db, filter: LogFilter): Promise<Sums> {
  if (filter.end > 0 && filter.end < filter.start) return none;
  return await db
    .selectFrom(
      matching(db, filter)
        .where("reversed", "=", 0)
        .select("logs.quota")
        .limit(sumRowsMax)
        .as("summed"),
    )
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .select((eb) => eb.fn.countAll<number>().as("calls"))
    .executeTakeFirstOrThrow();
}
