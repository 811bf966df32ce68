/**
 * Sums over the usage log: the quota and number of charged calls, and the rates of calls and tokens
 * in the last minute.
 */

import type { LogStat } from "@tollgate/contract/endpoints/logs.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import {
  chargedNow,
  consumption,
  hoursOf,
  isOfTotals,
  type LogFilter,
  matching,
  totalsOf,
} from "./log-filter.repo.ts";
import { daySeconds, hourSeconds, startOfHour } from "./log-times.ts";
import { coverageOf, type Stretch } from "./usage-totals.repo.ts";

/**
 * The largest number of rows that a sum adds up where the roll-up cannot be used. If more rows
 * match, the sum is too low.
 */
export const sumRowsMax = 500_000;

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

/** Whether the roll-ups have all columns that a filter names, besides how calls ended. */
export function isSummed(filter: LogFilter): boolean {
  const { conversationId = 0, requestId, tag = "" } = filter;
  const isOfCalls = requestId !== "" || conversationId > 0 || tag !== "";
  if (filter.usageSource !== "" || isOfCalls || filter.quotaMin > 0) return false;
  return filter.tokenName === "" || filter.tokens?.areExact === true;
}

/**
 * Adds up charged calls: whole hours from the roll-up, incomplete hours at both ends from the log
 * rows. The sum starts at the oldest log row, because the roll-up still has the hours whose log
 * rows were removed by a cleaning.
 */
export async function sumCharged(db: Db, filter: LogFilter, now: number): Promise<Sums> {
  if (!isSummed(filter) || (filter.ending ?? "") !== "") return await sumRows(db, filter);
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
  const parts = [await sumWhole(db, filter, { start: firstHour, end: endHour })];
  if (start < firstHour) parts.push(await sumRows(db, { ...filter, start, end: firstHour - 1 }));
  if (endHour < end) parts.push(await sumRows(db, { ...filter, start: endHour, end: end - 1 }));
  return join(parts);
}

function join(parts: readonly Sums[]): Sums {
  return {
    quota: parts.reduce((sum, { quota }) => sum + quota, 0),
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
  };
}

/** Adds up the charged calls of whole hours. */
async function sumWhole(db: Db, filter: LogFilter, time: Stretch): Promise<Sums> {
  if (!isOfTotals(filter)) return await sumHours(db, filter, time);
  const { days, hours, rest } = await coverageOf(db, time);
  const parts: Sums[] = [];
  for (const part of days) parts.push(await sumTotals(db, filter, daySeconds, part));
  for (const part of hours) parts.push(await sumTotals(db, filter, hourSeconds, part));
  for (const part of rest) parts.push(await sumHours(db, filter, part));
  return join(parts);
}

const sums = [
  sql<number>`coalesce(sum(quota), 0)`.as("quota"),
  sql<number>`coalesce(sum(request_count), 0)`.as("calls"),
] as const;

async function sumTotals(
  db: Db,
  filter: LogFilter,
  span: number,
  { start, end }: Stretch,
): Promise<Sums> {
  return await totalsOf(db, filter, span)
    .where("start", ">=", start)
    .where("start", "<", end)
    .select(sums)
    .executeTakeFirstOrThrow();
}

async function sumHours(db: Db, filter: LogFilter, { start, end }: Stretch): Promise<Sums> {
  return await hoursOf(db, filter)
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .select(sums)
    .executeTakeFirstOrThrow();
}

async function sumRows(db: Db, filter: LogFilter): Promise<Sums> {
  if (filter.end > 0 && filter.end < filter.start) return none;
  return await db
    .selectFrom(
      matching(db, filter)
        .where("reversed", "=", 0)
        .select(chargedNow.as("quota"))
        .limit(sumRowsMax)
        .as("summed"),
    )
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .select((eb) => eb.fn.countAll<number>().as("calls"))
    .executeTakeFirstOrThrow();
}
