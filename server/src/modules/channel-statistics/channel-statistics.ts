/** Adds up attempts at channels: of whole days by day, and at both ends of a time by hour. */

import { type RawBuilder, sql } from "kysely";
import { firstByteBuckets, quantileOf } from "#canonical/attempts.ts";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import type { ChannelHourTable } from "#db/tables/channel-hours.ts";

export type CountColumn = Exclude<keyof ChannelHourTable, "channel_id" | "hour" | "model_name">;

/** Selects rows whose sums are the attempts of a time, by channel and model. */
export function attemptsIn(db: Db, time: Span, counts: readonly CountColumn[]) {
  const { days, added, removed } = partsOf(time);
  const hours = (part: Span, sign: "" | "-") =>
    db
      .selectFrom("channel_hours")
      .select(["channel_id", "model_name"])
      .select(counts.map((name) => signed(name, sign).as(name)))
      .where("hour", ">=", part.start)
      .where("hour", "<", part.end);
  const ofDays = db
    .selectFrom("channel_days")
    .select(["channel_id", "model_name"])
    .select(counts.map((name) => signed(name, "").as(name)))
    .where("day", ">=", days.start)
    .where("day", "<", days.end);
  return [
    ...added.map((part) => hours(part, "")),
    ...removed.map((part) => hours(part, "-")),
  ].reduce((all, part) => all.unionAll(part), ofDays);
}

const firstByteColumns = Array.from(
  { length: firstByteBuckets },
  // Safe cast: the table has a column for each bucket.
  (_, bucket) => `first_byte_${bucket}` as CountColumn,
);

/**
 * Counts the times to the first byte of a time of whole hours, by bucket.
 * @param filter an empty model and channel 0 match all.
 */
export async function countFirstBytes(
  db: Db,
  time: Span,
  { modelName, channelId }: { readonly modelName: string; readonly channelId: number },
): Promise<number[]> {
  const counts = await db
    .selectFrom(attemptsIn(db, time, firstByteColumns).as("parts"))
    .$if(modelName !== "", (query) => query.where("model_name", "=", modelName))
    .$if(channelId !== 0, (query) => query.where("channel_id", "=", channelId))
    .select(firstByteColumns.map((name) => summed(db, name).as(name)))
    .executeTakeFirstOrThrow();
  return firstByteColumns.map((name) => Number(counts[name] ?? 0));
}

/** What became of the calls of a model. */
type ModelUse = {
  readonly model: string;
  /** Calls that reached a channel, without those that upstreams refused as wrong. */
  readonly calls: number;
  /** Those that were answered to the end. */
  readonly answered: number;
  /** The median time to the first byte, in milliseconds; null: there was no answer. */
  readonly firstByteMs: number | null;
};

/** Adds up the calls of a time of whole hours, by model, over all channels and their retries. */
export async function sumModelUse(db: Db, time: Span): Promise<ModelUse[]> {
  const counts = ["attempts", "retries", "rejected", "answered", "broken"] as const;
  const columns = [...counts, ...firstByteColumns];
  const rows = await db
    .selectFrom(attemptsIn(db, time, columns).as("parts"))
    .groupBy("model_name")
    .select("model_name")
    .select(columns.map((name) => summed(db, name).as(name)))
    .execute();
  return rows.map((row) => {
    const count = (name: CountColumn): number => Number(row[name as keyof typeof row] ?? 0);
    return {
      model: row.model_name,
      calls: Math.max(0, count("attempts") - count("retries") - count("rejected")),
      answered: Math.max(0, count("answered") - count("broken")),
      firstByteMs: quantileOf(firstByteColumns.map(count), 0.5),
    };
  });
}

const daySeconds = 86_400;

export function startOfDay(seconds: number): number {
  return seconds - (seconds % daySeconds);
}

/** From `start` to before `end`, in Unix seconds at the start of an hour. */
type Span = { readonly start: number; readonly end: number };

type Parts = {
  readonly days: Span;
  /** Hours outside of the days. */
  readonly added: readonly Span[];
  /** Hours of the days that do not belong to the time. */
  readonly removed: readonly Span[];
};

/**
 * Divides a time into days and hours. If most of a day at an end belongs to it, the whole day is
 * read, and the other hours are taken off, so that at most twelve hours are read at each end.
 */
function partsOf({ start, end }: Span): Parts {
  const half = daySeconds / 2;
  const before = start - startOfDay(start);
  const after = end - startOfDay(end);
  const firstDay = start - before + (before > half ? daySeconds : 0);
  const endDay = end - after + (after > half ? daySeconds : 0);
  if (startOfDay(start) === startOfDay(end) || firstDay >= endDay) {
    return { days: { start, end: start }, added: [{ start, end }], removed: [] };
  }
  const parts = [
    { isIn: start < firstDay, span: { start, end: firstDay } },
    { isIn: end > endDay, span: { start: endDay, end } },
    { isIn: false, span: { start: firstDay, end: start } },
    { isIn: false, span: { start: end, end: endDay } },
  ].filter(({ span }) => span.start < span.end);
  return {
    days: { start: firstDay, end: endDay },
    added: parts.filter(({ isIn }) => isIn).map(({ span }) => span),
    removed: parts.filter(({ isIn }) => !isIn).map(({ span }) => span),
  };
}

function signed(column: CountColumn, sign: "" | "-"): RawBuilder<number> {
  return sign === "" ? sql`${sql.ref(column)}` : sql`-${sql.ref(column)}`;
}

/**
 * Adds a column up. PostgreSQL adds up whole numbers of 64 bits as decimals, which takes twice as
 * long for so many columns; doubles hold counts below 2^53 exactly.
 */
export function summed(db: Db, column: CountColumn): RawBuilder<number> {
  const counts = sql.ref(column);
  return dialectOf(db) === "postgres"
    ? sql`sum(cast(${counts} as double precision))`
    : sql`sum(${counts})`;
}
