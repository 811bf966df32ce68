/**
 * The check T12 (see `proof.ts`): the totals that are kept of the hourly roll-up are its sums. The
 * roll-up itself is compared with entries and log rows by T5. Hours that have changed since, and the
 * days that they belong to, have no valid totals: readers take these from the roll-up.
 */

import { daySeconds, hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { blockSeconds, readTotalsUntil } from "#modules/logs/logs.ts";
import { firstRow, type Flaw } from "./flaw.ts";

type TotalsTable = "caller_totals" | "model_totals" | "usage_totals";

/** Unix seconds: a time from `start` to before `end`. */
type Stretch = { readonly start: number; readonly end: number };

/** Rows of totals, and the rows that they are the sums of. */
type Comparison = {
  readonly table: TotalsTable;
  /** The columns that both sides are compared by; the first is the time. */
  readonly key: readonly string[];
  /** The length of a row's time in seconds. */
  readonly unit: number;
  /** The table that is summed, and its column of the time. */
  readonly source: { readonly table: string; readonly time: string; readonly unit: number | null };
};

const places = ["channel_id", "model_name", "group"] as const;
const callers = ["user_id", "token_id"] as const;
const roll = { table: "usage_hours", time: "hour", unit: null } as const;
const ofHours = { table: "usage_totals", time: "start", unit: hourSeconds } as const;
const ofDays = { table: "caller_totals", time: "start", unit: daySeconds } as const;

/** In this order, because the later ones are compared with totals that were compared before. */
const comparisons: readonly Comparison[] = [
  { table: "usage_totals", key: ["start", ...places], unit: hourSeconds, source: roll },
  {
    table: "model_totals",
    key: ["hour", "model_name", "group"],
    unit: hourSeconds,
    source: ofHours,
  },
  { table: "usage_totals", key: ["start", ...places], unit: daySeconds, source: ofHours },
  { table: "caller_totals", key: ["start", ...callers], unit: daySeconds, source: roll },
  { table: "caller_totals", key: ["start", ...callers], unit: blockSeconds, source: ofDays },
];

/**
 * Compares eight days at a time, so that the database never has more than these to sort, however
 * long the roll-up is.
 */
export async function findTotalsFlaw(db: Db): Promise<Flaw | null> {
  const unknown = await findUnknownSpan(db);
  if (unknown !== null) return unknown;
  const until = (await readTotalsUntil(db)) ?? 0;
  let from = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const first = await firstTime(db, from);
    if (first === null) return null;
    const start = Math.floor(first / blockSeconds) * blockSeconds;
    const stretch = { start, end: start + blockSeconds };
    for (const comparison of comparisons) {
      const row = await firstRow(db, compare(comparison, stretch, until));
      if (row !== null) return flawOf(comparison.table, row);
    }
    from = stretch.end;
  }
}

function flawOf(table: TotalsTable, row: string): Flaw {
  return { check: "T12", table, row, reason: "is not the sum of the hours that it adds up" };
}

/** Finds totals of a length of time that nothing reads. */
async function findUnknownSpan(db: Db): Promise<Flaw | null> {
  for (const { table, spans } of [
    { table: "usage_totals", spans: sql.lit(hourSeconds) },
    { table: "caller_totals", spans: sql.lit(blockSeconds) },
  ] as const) {
    const row = await firstRow(
      db,
      sql`
        select 'span=' || span || ' start=' || start as "row" from ${sql.table(table)}
        where span not in (${spans}, ${sql.lit(daySeconds)}) order by span, start limit 1`,
    );
    if (row !== null) return flawOf(table, row);
  }
  return null;
}

/** Finds the first time from `from` on of which there are sums; null: there are none. */
async function firstTime(db: Db, from: number): Promise<number | null> {
  const first = (table: string, time: string, unit: number | null) => sql`
    select min(${sql.ref(time)}) as first from ${sql.table(table)}
    where ${sql.ref(time)} >= ${sql.lit(from)} and ${isOfUnit(unit)}`;
  const each = [
    first("usage_hours", "hour", null),
    first("model_totals", "hour", null),
    first("usage_totals", "start", hourSeconds),
    first("usage_totals", "start", daySeconds),
    first("caller_totals", "start", daySeconds),
    first("caller_totals", "start", blockSeconds),
  ];
  const { rows } = await sql<{ first: number | null }>`
    select min(first) as first from (${sql.join(each, sql` union all `)}) as each_first
  `.execute(db);
  return rows[0]?.first ?? null;
}

function isOfUnit(unit: number | null): RawBuilder<unknown> {
  return unit === null ? sql`1 = 1` : sql`span = ${sql.lit(unit)}`;
}

/** Rounds a column of times down to whole units. */
function floorOf(column: RawBuilder<unknown>, unit: number): RawBuilder<unknown> {
  return sql`${column} - ${column} % ${sql.lit(unit)}`;
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

/** Writes the same of each sum. */
function sumsOf(write: (name: string) => RawBuilder<unknown>, between = ", ") {
  return sql.join(sumNames.map(write), sql.raw(between));
}

/**
 * Writes the query for the first row in which totals and sums differ. Each side counts its rows, so
 * that sums of nothing but zeros are compared, too.
 */
function compare({ table, key, unit, source }: Comparison, of: Stretch, until: number) {
  const [time = "", ...others] = key;
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const unitOf = table === "model_totals" ? null : unit;
  const sourceTime = floorOf(sql.ref(source.time), unit);
  const grouped = sql.join([sourceTime, ...others.map((name) => sql.ref(name))]);
  const within = (column: string) => sql`
    ${sql.ref(column)} >= ${sql.lit(of.start)} and ${sql.ref(column)} < ${sql.lit(of.end)}
    and ${floorOf(sql.ref(column), unit)} not in (
      select ${floorOf(sql.ref("stale.hour"), unit)} from stale_hours as stale)`;
  const span = unitOf === null ? sql`` : sql`'span=' || ${sql.lit(String(unit))} || ' ' || `;
  const name = sql.join(
    key.map((column) => sql`${sql.lit(`${column}=`)} || ${sql.ref(column)}`),
    sql` || ' ' || `,
  );
  return sql`
    select ${span}${name} as "row"
    from (
      select ${columns}, ${sumsOf((name) => sql.ref(name))}, 1 as one
      from ${sql.table(table)} where ${isOfUnit(unitOf)} and ${within(time)}
      union all
      select ${grouped}, ${sumsOf((name) => sql`-sum(${sql.ref(name)})`)}, -1
      from ${sql.table(source.table)}
      where ${isOfUnit(source.unit)} and ${within(source.time)}
        and ${sql.ref(source.time)} < ${sql.lit(until - (until % unit))}
      group by ${grouped}
    ) as both_sides
    group by ${columns}
    having sum(one) <> 0 or ${sumsOf((name) => sql`sum(${sql.ref(name)}) <> 0`, " or ")}
    order by ${columns} limit 1`;
}
