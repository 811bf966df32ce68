/**
 * Sums the calls that a filter matches by one of their columns, and by time: whole hours from the
 * roll-ups where these have what is asked for, everything else from the rows. The sums are those of
 * the rows, to the unit.
 */

import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import {
  chargedNow,
  consumption,
  endingsOf,
  hoursOf,
  isOfTotals,
  type LogFilter,
  matching,
  totalsOf,
} from "#modules/logs/log-filter.repo.ts";
import { isSummed, sumRowsMax } from "#modules/logs/log-sums.repo.ts";
import { daySeconds, hourSeconds, startOfHour } from "#modules/logs/log-times.ts";
import { coverageOf, type Stretch } from "#modules/logs/usage-totals.repo.ts";
import type { ChartTime } from "./bars.ts";

/** The column by which calls are summed. */
export type Part = "channel" | "ending" | "group" | "model" | "token" | "user";

export type Sum = {
  /** The start of the hour, or of the shorter time that was asked for; 0: times are not divided. */
  readonly at: number;
  /** Null: values that are not among those to keep. */
  readonly key: number | string | null;
  /** Charged calls, and what they cost now. */
  readonly quota: number;
  readonly calls: number;
  /** Calls that failed. */
  readonly failures: number;
  /**
   * Charged calls whose answer broke off. They are counted in `calls` of the ending `""` as well, as
   * the roll-up of charges does not know how calls ended.
   */
  readonly broken: number;
};

type Question = {
  readonly part: Part;
  /** Into which seconds times are divided: an hour or less; 0: not at all. */
  readonly step: number;
  /** The values to keep; the sums of all others have the key null. Null: all are kept. */
  readonly keep: readonly (number | string)[] | null;
  /** Unix seconds. */
  readonly now: number;
};

type Sums = {
  readonly sums: readonly Sum[];
  /** Whether all matching rows are added up. */
  readonly isWhole: boolean;
};

const failure = 5;

/**
 * Returns the time in which a filter has rows, cut to the rows that are there; null: it has none.
 * Roll-ups still have hours whose rows were removed.
 */
export async function timeOf(db: Db, filter: LogFilter, now: number): Promise<ChartTime | null> {
  const oldest = await db
    .selectFrom("logs")
    .select("created_at")
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return null;
  const start = Math.max(filter.start, oldest.created_at);
  // No row has a time after `now`.
  const last = startOfHour(now) + hourSeconds;
  const end = filter.end > 0 ? Math.min(filter.end + 1, last) : last;
  return start < end ? { start, end } : null;
}

/** Sums the calls of a time. */
export async function sumBy(
  db: Db,
  filter: LogFilter,
  time: ChartTime,
  asked: Question,
): Promise<Sums> {
  const all: Sum[] = [];
  let isWhole = filter.isCut !== true;
  const { ending = "", type } = filter;
  const isOfFailed = /^failed( |$)/.test(ending);
  const add = async (of: 2 | 5, part: ChartTime): Promise<void> => {
    const found = await sumRows(db, { ...filter, type: of }, part, asked);
    all.push(...found.sums);
    isWhole &&= found.isWhole;
  };
  if ((type === 0 || type === consumption) && !isOfFailed) {
    const { whole, ends } = divide(time, asked, isSummed(filter) && ending === "");
    for (const end of ends) await add(consumption, end);
    if (whole !== null) all.push(...(await sumCharges(db, filter, whole, asked)));
    if (whole !== null && asked.part === "ending") {
      all.push(...(await sumEndings(db, filter, whole, { ...asked, of: "charged" })));
    }
  }
  if ((type === 0 || type === failure) && (ending === "" || isOfFailed)) {
    const { whole, ends } = divide(time, asked, isSummed(filter));
    for (const end of ends) await add(failure, end);
    if (whole !== null) {
      all.push(...(await sumEndings(db, filter, whole, { ...asked, of: "failed" })));
    }
  }
  return { sums: all, isWhole };
}

/** Divides a time into whole hours, which roll-ups have, and the ends, of which rows are read. */
export function divide(
  { start, end }: ChartTime,
  { step }: Pick<Question, "step">,
  isRolledUp: boolean,
): { readonly whole: Stretch | null; readonly ends: readonly ChartTime[] } {
  const first = startOfHour(start + hourSeconds - 1);
  const last = startOfHour(end);
  const isShort = step > 0 && step < hourSeconds;
  if (!isRolledUp || isShort || first >= last) return { whole: null, ends: [{ start, end }] };
  const ends = [
    { start, end: first },
    { start: last, end },
  ].filter((one) => one.start < one.end);
  return { whole: { start: first, end: last }, ends };
}

/** The column of a part in the roll-ups, or in the rows. */
function columnOf(part: Part, of: "hours" | "rows"): RawBuilder<number | string> {
  switch (part) {
    case "channel":
      return of === "rows" ? sql`channel` : sql`channel_id`;
    case "ending":
      return sql`ending`;
    case "group":
      return sql`"group"`;
    case "model":
      return sql`model_name`;
    case "token":
      return sql`token_id`;
    case "user":
      return sql`user_id`;
  }
}

/** The key of a row: the value of its column if that is to be kept. */
function keyOf({ part, keep }: Question, of: "hours" | "rows"): RawBuilder<number | string | null> {
  const column = columnOf(part, of);
  if (keep === null) return column;
  if (keep.length === 0) return sql`null`;
  return sql`case when ${column} in (${sql.join([...keep])}) then ${column} end`;
}

type Found = { readonly at: number; readonly key: number | string | null };

async function sumCharges(
  db: Db,
  filter: LogFilter,
  whole: Stretch,
  asked: Question,
): Promise<readonly Sum[]> {
  const { part, step } = asked;
  const isOfAll = isOfTotals(filter) && part !== "user" && part !== "token";
  const { days, hours, rest } = isOfAll
    ? await coverageOf(db, whole)
    : { days: [], hours: [], rest: [whole] };
  // The roll-ups do not know how calls ended.
  const key = part === "ending" ? sql<string>`''` : keyOf(asked, "hours");
  const sums: Sum[] = [];
  const take = (rows: readonly (Found & { quota: number; calls: number })[]): void => {
    for (const { at, key: of, quota, calls } of rows) {
      sums.push({ at, key: of, quota, calls, failures: 0, broken: 0 });
    }
  };
  const summed = [
    key.as("key"),
    sql<number>`coalesce(sum(quota), 0)`.as("quota"),
    sql<number>`coalesce(sum(request_count), 0)`.as("calls"),
  ] as const;
  const readTotals = async ({ start, end }: Stretch, span: number): Promise<void> => {
    const at = step === 0 ? sql<number>`0` : sql<number>`start`;
    take(
      await totalsOf(db, filter, span)
        .where("start", ">=", start)
        .where("start", "<", end)
        .select([at.as("at"), ...summed])
        .groupBy(sql`1, 2`)
        .execute(),
    );
  };
  // Whole days are summed as such only where times are not divided.
  for (const day of days) await readTotals(day, step === 0 ? daySeconds : hourSeconds);
  for (const hour of hours) await readTotals(hour, hourSeconds);
  for (const { start, end } of rest) {
    const at = step === 0 ? sql<number>`0` : sql<number>`hour`;
    take(
      await hoursOf(db, filter)
        .where("hour", ">=", start)
        .where("hour", "<", end)
        .select([at.as("at"), ...summed])
        .groupBy(sql`1, 2`)
        .execute(),
    );
  }
  return sums;
}

/** The endings that begin so, in the order of their bytes. */
export const isFailedEnding = sql<SqlBool>`(ending >= 'failed ' and ending < 'failed!')`;

async function sumEndings(
  db: Db,
  filter: LogFilter,
  { start, end }: Stretch,
  asked: Question & { readonly of: "charged" | "failed" },
): Promise<readonly Sum[]> {
  const at = asked.step === 0 ? sql<number>`0` : sql<number>`hour`;
  const rows = await endingsOf(db, filter)
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .where(asked.of === "failed" ? isFailedEnding : sql<SqlBool>`not ${isFailedEnding}`)
    .where("calls", ">", 0)
    .select([at.as("at"), keyOf(asked, "hours").as("key")])
    .select(sql<number>`coalesce(sum(calls), 0)`.as("count"))
    .groupBy(sql`1, 2`)
    .execute();
  return rows.map(({ count, ...row }) => ({
    ...row,
    quota: 0,
    calls: 0,
    failures: asked.of === "failed" ? count : 0,
    broken: asked.of === "charged" ? count : 0,
  }));
}

async function sumRows(
  db: Db,
  filter: LogFilter,
  { start, end }: ChartTime,
  asked: Question,
): Promise<Sums> {
  const { part, step } = asked;
  const at = step === 0 ? sql<number>`0` : sql<number>`created_at - created_at % ${sql.lit(step)}`;
  const rows = await db
    .selectFrom(
      matching(db, { ...filter, start, end: end - 1 })
        .where("reversed", "=", 0)
        .select([at.as("at"), keyOf(asked, "rows").as("key"), chargedNow.as("quota")])
        .limit(sumRowsMax)
        .as("summed"),
    )
    .select(["at", "key"])
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .groupBy(["at", "key"])
    .execute();
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const isWhole = total < sumRowsMax;
  if (filter.type === failure) {
    const sums = rows.map(({ count, ...row }) => failed({ at: row.at, key: row.key }, count));
    return { sums, isWhole };
  }
  const sums = rows.flatMap(({ at: time, key, quota, count }): Sum[] => {
    const place = { at: time, key };
    const sum = { ...place, quota, calls: count, failures: 0, broken: 0 };
    if (part !== "ending" || key === "") return [sum];
    return [
      { ...sum, key: "" },
      { ...sum, quota: 0, calls: 0, broken: count },
    ];
  });
  return { sums, isWhole };
}

function failed(place: Found, failures: number): Sum {
  return { ...place, quota: 0, calls: 0, failures, broken: 0 };
}
