/**
 * Sums of usage that are kept so that long times are read quickly: `usage_totals` by hour and by
 * day over all users and tokens, `model_totals` by model and hour, `caller_totals` by user and token
 * for each day and for each eight days. They are made from `usage_hours` an hour after each hour.
 * What they do not contain yet, and what has changed since, is read from `usage_hours`, so that sums
 * are exact at any time.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { blockSeconds, daySeconds, hourSeconds, startOfHour } from "./log-times.ts";
import { takeStaleHours } from "./cleaning/stale-hours.ts";

/** The row of `meta` with the first hour that has no totals yet, in Unix seconds. */
const untilKey = "usage_totals_until";

/** How long an hour must be over before its totals are made; see `markStale` of the ledger. */
const graceSeconds = hourSeconds;

/** Reads the first hour that has no totals yet, in Unix seconds; null: no hour has totals. */
export async function readTotalsUntil(db: Db): Promise<number | null> {
  const row = await untilOf(db).executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

/** Locks the totals until the transaction ends, so that two nodes do not make the same ones. */
async function lockUntil(tx: Db): Promise<number | null> {
  const row = await lockRows(tx, untilOf(tx)).executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

function untilOf(db: Db) {
  return db.selectFrom("meta").select("value").where("key", "=", untilKey);
}

async function saveUntil(tx: Db, until: number): Promise<void> {
  const value = String(until);
  await tx
    .insertInto("meta")
    .values({ key: untilKey, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/** The largest number of hours whose totals one transaction makes. */
const hoursMax = 4;

/**
 * Makes the totals of some hours: first of those that have changed, then of the next ones that are
 * over.
 * @param now Unix seconds.
 * @returns whether there may be more to do.
 */
export async function advanceTotals(tx: Db, now: number): Promise<boolean> {
  const end = startOfHour(now - graceSeconds);
  let until = await lockUntil(tx);
  if (until === null) {
    const first = await tx
      .selectFrom("usage_hours")
      .select((eb) => eb.fn.min<number | null>("hour").as("hour"))
      .executeTakeFirstOrThrow();
    if (first.hour === null) return false;
    until = Math.min(first.hour, end);
  }
  const stale = await takeStaleHours(tx, hoursMax);
  const changed = stale.filter((hour) => hour < Number(until));
  for (const hour of changed) await makeHour(tx, hour);
  const days = new Set(changed.map(startOfDay));
  let made = stale.length;
  while (until < end && made < hoursMax) {
    // Skips the time in which nothing was called.
    const next = await nextHour(tx, until, end);
    if (startOfDay(next) !== startOfDay(until)) days.add(startOfDay(until));
    if (next < end) {
      await makeHour(tx, next);
      days.add(startOfDay(next));
    }
    until = Math.min(end, next + hourSeconds);
    made += 1;
  }
  for (const day of days) await makeDay(tx, day, until);
  const blocks = new Set([...days].map((day) => day - (day % blockSeconds)));
  for (const block of blocks) await makeBlock(tx, block, until);
  await saveUntil(tx, until);
  return made === hoursMax;
}

function startOfDay(seconds: number): number {
  return seconds - (seconds % daySeconds);
}

/** Returns the first hour from `from` on that has calls; `end` if there is none before it. */
async function nextHour(tx: Db, from: number, end: number): Promise<number> {
  const row = await tx
    .selectFrom("usage_hours")
    .select("hour")
    .where("hour", ">=", from)
    .where("hour", "<", end)
    .orderBy("hour")
    .limit(1)
    .executeTakeFirst();
  return row?.hour ?? end;
}

const sumNames = [
  "quota",
  "request_count",
  "prompt_tokens",
  "completion_tokens",
  "cost",
  "costed_quota",
  "costed_count",
];
const sums = sql.raw(sumNames.join(", "));
const sumsOfSums = sql.raw(sumNames.map((name) => `sum(${name})`).join(", "));
const columns = sql`channel_id, model_name, "group", ${sums}`;
const summed = sql`channel_id, model_name, "group", ${sumsOfSums}`;
const groups = sql.raw(`channel_id, model_name, "group"`);

/** Keeps sums of 0, too: an hour whose calls were all given back still has rows to list. */
async function makeHour(tx: Db, hour: number): Promise<void> {
  await remove(tx, hourSeconds, hour);
  await sql`
    insert into usage_totals (span, start, ${columns})
    select ${sql.lit(hourSeconds)}, ${sql.lit(hour)}, ${summed} from usage_hours
    where hour = ${hour} group by ${groups}
  `.execute(tx);
  await tx.deleteFrom("model_totals").where("hour", "=", hour).execute();
  await sql`
    insert into model_totals (hour, model_name, "group", ${sums})
    select start, model_name, "group", ${sumsOfSums} from usage_totals
    where span = ${sql.lit(hourSeconds)} and start = ${hour} group by start, model_name, "group"
  `.execute(tx);
}

/** Makes the totals of a day, if those of all its hours are made. */
async function makeDay(tx: Db, day: number, until: number): Promise<void> {
  await remove(tx, daySeconds, day);
  await removeCallers(tx, daySeconds, day);
  if (day + daySeconds > until) return;
  await sql`
    insert into caller_totals (span, start, user_id, token_id, ${sums})
    select ${sql.lit(daySeconds)}, ${sql.lit(day)}, user_id, token_id, ${sumsOfSums}
    from usage_hours where hour >= ${day} and hour < ${day + daySeconds}
    group by user_id, token_id
  `.execute(tx);
  await sql`
    insert into usage_totals (span, start, ${columns})
    select ${sql.lit(daySeconds)}, ${sql.lit(day)}, ${summed} from usage_totals
    where span = ${sql.lit(hourSeconds)} and start >= ${day} and start < ${day + daySeconds}
    group by ${groups}
  `.execute(tx);
}

/** Makes the sums of users and tokens of eight days, if those of all the days are made. */
async function makeBlock(tx: Db, block: number, until: number): Promise<void> {
  await removeCallers(tx, blockSeconds, block);
  if (block + blockSeconds > until) return;
  await sql`
    insert into caller_totals (span, start, user_id, token_id, ${sums})
    select ${sql.lit(blockSeconds)}, ${sql.lit(block)}, user_id, token_id, ${sumsOfSums}
    from caller_totals
    where span = ${sql.lit(daySeconds)} and start >= ${block} and start < ${block + blockSeconds}
    group by user_id, token_id
  `.execute(tx);
}

async function removeCallers(tx: Db, span: number, start: number): Promise<void> {
  await tx
    .deleteFrom("caller_totals")
    .where("span", "=", span)
    .where("start", "=", start)
    .execute();
}

async function remove(tx: Db, span: number, start: number): Promise<void> {
  await tx.deleteFrom("usage_totals").where("span", "=", span).where("start", "=", start).execute();
}

/** A time from `start` to before `end`, of whole hours or days. Unix seconds. */
export type Stretch = { readonly start: number; readonly end: number };

/** Where the sums of a time are: whole days and hours of the totals, and hours of `usage_hours`. */
type Coverage = {
  readonly days: readonly Stretch[];
  readonly hours: readonly Stretch[];
  readonly rest: readonly Stretch[];
};

/** If more hours than this have changed, the totals are not used until they are made again. */
const staleMax = 100;

/** Says where the sums of a time of whole hours are. */
export async function coverageOf(db: Db, { start, end }: Stretch): Promise<Coverage> {
  const until = (await readTotalsUntil(db)) ?? start;
  const stale = await db
    .selectFrom("stale_hours")
    .select("hour")
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .orderBy("hour")
    .limit(staleMax + 1)
    .execute();
  if (stale.length > staleMax || until <= start) {
    return { days: [], hours: [], rest: start < end ? [{ start, end }] : [] };
  }
  const days: Stretch[] = [];
  const hours: Stretch[] = [];
  const rest: Stretch[] = [];
  const made = Math.min(end, until);
  let from = start;
  for (const { hour } of [...stale, { hour: made }]) {
    const to = Math.min(hour, made);
    if (from < to) divide({ start: from, end: to }, days, hours);
    if (hour < made) rest.push({ start: hour, end: hour + hourSeconds });
    from = Math.max(from, hour + hourSeconds);
  }
  if (made < end) rest.push({ start: made, end });
  return { days, hours, rest };
}

/** Divides a time into the whole days in it and the hours at its ends. */
function divide({ start, end }: Stretch, days: Stretch[], hours: Stretch[]): void {
  const firstDay = startOfDay(start + daySeconds - 1);
  const endDay = startOfDay(end);
  if (firstDay >= endDay) {
    hours.push({ start, end });
    return;
  }
  days.push({ start: firstDay, end: endDay });
  if (start < firstDay) hours.push({ start, end: firstDay });
  if (endDay < end) hours.push({ start: endDay, end });
}
