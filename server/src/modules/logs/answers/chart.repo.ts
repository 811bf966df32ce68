/** Makes the chart over a list of the log: bars over time of the calls that its filters match. */

import {
  type ChartMeasure,
  type ChartPart,
  firstByteCalls,
  type LogChart,
  logSeriesMax,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { readEnding } from "@tollgate/contract/logs/endings.ts";
import { hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { firstByteOf } from "#modules/logs/cleaning/cleaned-hours.repo.ts";
import { consumption, type LogFilter, matching } from "#modules/logs/log-filter.repo.ts";
import { barsOf, type ChartTime, placeOf, startsOf } from "./bars.ts";
import { namesOf } from "./names.repo.ts";
import { boundFilter } from "./newest-tagged.repo.ts";
import { type Part, type Sum, sumBy, timeOf } from "./sums.repo.ts";

type ChartAsked = {
  readonly by: ChartPart;
  readonly measure: ChartMeasure;
  readonly zone: string;
  /** Unix seconds. */
  readonly now: number;
};

/** The most calls of which rows are read so that bars can be shorter than an hour. */
const shortCallsMax = 20_000;

/** Reads the chart of a filter. */
export async function readChart(db: Db, given: LogFilter, asked: ChartAsked): Promise<LogChart> {
  const { by, measure, zone, now } = asked;
  const filter = await boundFilter(db, given);
  const time = filter === null ? null : await timeOf(db, filter, now);
  if (filter === null || time === null) return noChart(given, asked);
  const part: Part = by === "reason" ? "ending" : by;
  const ranked = rank(await readKeys(db, filter, time, { part, now }), measure, by);
  const shown = ranked.keys.slice(0, logSeriesMax);
  // The time ends with a whole hour, of which what is to come has no bars.
  const shownTime = { ...time, end: Math.max(time.start + 1, Math.min(time.end, now + 1)) };
  const bar = barsOf(shownTime, ranked.calls <= shortCallsMax);
  const starts = startsOf(shownTime, bar, zone);
  const step = bar.kind === "seconds" ? bar.seconds : hourSeconds;
  const keep = by === "reason" ? ["", ...shown] : shown;
  const { sums, isWhole } = await sumBy(db, filter, time, { part, step, keep, now });
  const series = await named(db, by, seriesOf(sums, starts, shown));
  return {
    ...shownTime,
    buckets: starts,
    time_zone: zone,
    series,
    totals: totalsOf(sums),
    first_byte: measure === "first_byte" ? await firstBytes(db, filter, time, starts) : [],
    is_whole: isWhole,
  };
}

function noChart({ start, end }: LogFilter, { zone, now }: ChartAsked): LogChart {
  const totals = { quota: 0, calls: 0, failures: 0 };
  const until = end > 0 ? Math.min(end + 1, now) : now;
  const time = { start, end: Math.max(start, until) };
  return {
    ...time,
    buckets: [],
    time_zone: zone,
    series: [],
    totals,
    first_byte: [],
    is_whole: true,
  };
}

async function readKeys(
  db: Db,
  filter: LogFilter,
  time: ChartTime,
  { part, now }: { readonly part: Part; readonly now: number },
): Promise<readonly Sum[]> {
  return (await sumBy(db, filter, time, { part, step: 0, keep: null, now })).sums;
}

type Key = number | string;

/** Ranks the values by what is measured, and counts all calls. */
function rank(
  sums: readonly Sum[],
  measure: ChartMeasure,
  by: ChartPart,
): { readonly keys: readonly Key[]; readonly calls: number } {
  const values = new Map<Key, number>();
  let calls = 0;
  for (const sum of sums) {
    calls += sum.calls + sum.failures;
    if (sum.key === null || (by === "reason" && sum.failures === 0)) continue;
    const value =
      by === "reason" ? sum.failures : sum[measure === "first_byte" ? "calls" : measure];
    values.set(sum.key, (values.get(sum.key) ?? 0) + value);
  }
  const keys = [...values]
    .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([key]) => key);
  return { keys, calls };
}

type Series = LogChart["series"][number];

function seriesOf(
  sums: readonly Sum[],
  starts: readonly number[],
  keys: readonly Key[],
): readonly Omit<Series, "name">[] {
  const zeros = (): number[] => starts.map(() => 0);
  const make = (value: string | null) => {
    return { value, quota: zeros(), calls: zeros(), failures: zeros() };
  };
  const known = new Map(keys.map((key) => [key, make(String(key))]));
  const rest = make(null);
  let isRest = false;
  for (const { at, key, quota, calls, failures } of sums) {
    if (quota === 0 && calls === 0 && failures === 0) continue;
    const own = key === null ? undefined : known.get(key);
    const one = own ?? rest;
    isRest ||= own === undefined;
    const place = placeOf(starts, at);
    one.quota[place] = (one.quota[place] ?? 0) + quota;
    one.calls[place] = (one.calls[place] ?? 0) + calls;
    one.failures[place] = (one.failures[place] ?? 0) + failures;
  }
  return isRest ? [...known.values(), rest] : [...known.values()];
}

async function named(
  db: Db,
  by: ChartPart,
  series: readonly Omit<Series, "name">[],
): Promise<Series[]> {
  if (by !== "channel" && by !== "token" && by !== "user") {
    return series.map((one) => ({ ...one, name: nameOf(by, one.value ?? "") }));
  }
  const ids = series.flatMap(({ value }) => (value === null ? [] : [Number(value)]));
  const names = await namesOf(db, by, ids);
  return series.map((one) => ({ ...one, name: names.get(Number(one.value)) ?? "" }));
}

function nameOf(by: ChartPart, key: string): string {
  return by === "reason" ? readEnding(key).code : key;
}

function totalsOf(sums: readonly Sum[]): LogChart["totals"] {
  return {
    quota: sums.reduce((total, { quota }) => total + quota, 0),
    calls: sums.reduce((total, { calls }) => total + calls, 0),
    failures: sums.reduce((total, { failures }) => total + failures, 0),
  };
}

/** How many of the newest rows of a bar are searched for calls that match. */
const searchedRows = 1_000;

/** How many characters of a row are read from where its time to the first byte begins. */
const timeLength = 32;

/** Returns the median time to the first byte of the newest calls of each bar. */
async function firstBytes(
  db: Db,
  filter: LogFilter,
  time: ChartTime,
  starts: readonly number[],
): Promise<(number | null)[]> {
  const medians: (number | null)[] = [];
  const isOfUser = filter.userId !== null || (filter.tokens?.userIds.length ?? 0) === 1;
  const name = sql.lit(`"frt":`);
  const from =
    dialectOf(db) === "postgres" ? sql`position(${name} in other)` : sql`instr(other, ${name})`;
  for (const [place, at] of starts.entries()) {
    const start = Math.max(at, time.start);
    const end = Math.min(starts[place + 1] ?? time.end, time.end) - 1;
    const newest = db
      .selectFrom("logs as newest")
      .select("newest.id")
      .where("newest.created_at", ">=", start)
      .where("newest.created_at", "<=", end)
      .orderBy("newest.created_at", "desc")
      .orderBy("newest.id", "desc")
      .limit(searchedRows);
    const rows = await matching(db, { ...filter, type: consumption, start, end })
      .$if(!isOfUser, (query) => query.where("logs.id", "in", newest))
      .select(sql<string>`substr(other, ${from}, ${sql.lit(timeLength)})`.as("time"))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(firstByteCalls)
      .execute();
    medians.push(medianOf(rows.flatMap(({ time: text }) => firstByteOf(text) ?? [])));
  }
  return medians;
}

function medianOf(values: readonly number[]): number | null {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  return middle === undefined ? null : Math.round(middle);
}
