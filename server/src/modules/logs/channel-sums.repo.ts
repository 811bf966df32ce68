import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { contains } from "#db/text-search.ts";
import { chargedNow, consumption } from "./log-filter.repo.ts";
import { daySeconds, hourSeconds, startOfHour } from "./log-times.ts";
import { coverageOf, type Stretch } from "./usage-totals.repo.ts";

/** A time in Unix seconds, of which `end` is exclusive, and what it is narrowed to. */
type ChannelFilter = Stretch & {
  /** Part of the model's name; empty: every model. */
  readonly modelName: string;
  /** 0: every channel. */
  readonly channelId: number;
  /** Whether the models of a channel are added up, under an empty name. */
  readonly merge: boolean;
};

type ChannelSum = {
  readonly channel_id: number;
  readonly model_name: string;
  quota: number;
  count: number;
  token_used: number;
};

/**
 * The largest number of rows that are read of an hour at an end of the time. A busier hour is summed
 * whole.
 */
const edgeRowsMax = 500_000;

/**
 * Adds up what calls were charged in a time, by channel and model. At its ends, which may be in the
 * middle of an hour, the log rows are summed, or the whole hour if rows of it were cleaned or are
 * too many.
 */
export async function sumByChannel(db: Db, filter: ChannelFilter): Promise<ChannelSum[]> {
  const { whole, ends } = await partsOf(db, filter);
  const { days, hours, rest } = await coverageOf(db, whole);
  const sums = new Map<string, ChannelSum>();
  const parts = [
    ...days.map((part) => ({ part, span: daySeconds })),
    ...hours.map((part) => ({ part, span: hourSeconds })),
    ...rest.map((part) => ({ part, span: 0 })),
  ];
  for (const end of ends) addUp(sums, await sumRows(db, filter, end));
  for (const { part, span } of parts) addUp(sums, await sumPart(db, filter, part, span));
  return [...sums.values()];
}

function addUp(sums: Map<string, ChannelSum>, rows: readonly ChannelSum[]): void {
  for (const row of rows) {
    const key = `${row.channel_id} ${row.model_name}`;
    const sum = sums.get(key);
    if (sum === undefined) {
      sums.set(key, row);
      continue;
    }
    sum.quota += row.quota;
    sum.count += row.count;
    sum.token_used += row.token_used;
  }
}

/** Divides a time into whole hours and the parts of an hour at its ends. */
async function partsOf(
  db: Db,
  { start, end }: Stretch,
): Promise<{ readonly whole: Stretch; readonly ends: readonly Stretch[] }> {
  const firstHour = startOfHour(start + hourSeconds - 1);
  const endHour = startOfHour(end);
  const isWithinAnHour = firstHour > endHour;
  const ends = isWithinAnHour
    ? [{ start, end }]
    : [
        { start, end: firstHour },
        { start: endHour, end },
      ].filter((part) => part.start < part.end);
  let whole: Stretch = isWithinAnHour
    ? { start: endHour, end: endHour }
    : { start: firstHour, end: endHour };
  const read: Stretch[] = [];
  for (const part of ends) {
    const hour = startOfHour(part.start);
    if (await hasItsRows(db, hour)) read.push(part);
    else if (hour < whole.start) whole = { ...whole, start: hour };
    else whole = { ...whole, end: hour + hourSeconds };
  }
  return { whole, ends: read };
}

/** Whether the log still has every row of an hour, and few enough to be read. */
async function hasItsRows(db: Db, hour: number): Promise<boolean> {
  // The roll-up is read first: a call that is settled meanwhile adds to both.
  const { calls } = await db
    .selectFrom("usage_hours")
    .select(sql<number>`coalesce(sum(request_count), 0)`.as("calls"))
    .where("hour", "=", hour)
    .executeTakeFirstOrThrow();
  if (Number(calls) > edgeRowsMax) return false;
  const { kept } = await db
    .selectFrom("logs")
    .select((eb) => eb.fn.countAll<number>().as("kept"))
    .where("type", "=", consumption)
    .where("reversed", "=", 0)
    .where("created_at", ">=", hour)
    .where("created_at", "<", hour + hourSeconds)
    .executeTakeFirstOrThrow();
  return Number(kept) >= Number(calls);
}

async function sumRows(
  db: Db,
  { modelName, channelId, merge }: ChannelFilter,
  { start, end }: Stretch,
): Promise<ChannelSum[]> {
  const ofChannel = channelId === 0 ? sql`` : sql`and channel = ${channelId}`;
  const ofModel = modelName === "" ? sql`` : sql`and ${contains("model_name", modelName)}`;
  const { rows } = await sql<ChannelSum>`
    select channel as channel_id, ${merge ? sql`''` : sql`model_name`} as model_name,
      sum(${chargedNow}) as quota, count(*) as count,
      sum(prompt_tokens + completion_tokens) as token_used
    from logs
    where type = ${sql.lit(consumption)} and reversed = 0
      and created_at >= ${start} and created_at < ${end} ${ofChannel} ${ofModel}
    group by channel ${merge ? sql`` : sql`, model_name`}
  `.execute(db);
  return rows;
}

/** @param span seconds of the totals to read; 0: the hourly roll-up is read. */
async function sumPart(
  db: Db,
  { modelName, channelId, merge }: ChannelFilter,
  { start, end }: Stretch,
  span: number,
): Promise<ChannelSum[]> {
  const table = span === 0 ? sql`usage_hours` : sql`usage_totals`;
  const time =
    span === 0
      ? sql`hour >= ${start} and hour < ${end}`
      : sql`span = ${sql.lit(span)} and start >= ${start} and start < ${end}`;
  const ofChannel = channelId === 0 ? sql`` : sql`and channel_id = ${channelId}`;
  const ofModel = modelName === "" ? sql`` : sql`and ${contains("model_name", modelName)}`;
  const { rows } = await sql<ChannelSum>`
    select channel_id, ${merge ? sql`''` : sql`model_name`} as model_name,
      sum(quota) as quota, sum(request_count) as count,
      sum(prompt_tokens + completion_tokens) as token_used
    from ${table} where ${time} ${ofChannel} ${ofModel}
    group by channel_id ${merge ? sql`` : sql`, model_name`}
  `.execute(db);
  return rows;
}
