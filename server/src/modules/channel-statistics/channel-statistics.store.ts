/** Reads and writes the attempts at channels by hour, and reads what was charged through them. */

import { type ChannelUse, channelUseMax } from "@tollgate/contract/endpoints/channel-statistics.ts";
import { sql } from "kysely";
import { z } from "zod";
import { attemptCounts, failureCounts, firstByteBuckets, quantileOf } from "#canonical/attempts.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import type { ChannelHourTable } from "#db/tables/channel-hours.ts";
import { contains } from "#db/text-search.ts";
import { sumByChannel } from "#modules/logs/logs.ts";
import { attemptsIn, type CountColumn, startOfDay, summed } from "./channel-statistics.ts";

export const channelStatisticsStore = defineStore({
  reads: { readChannelUse },
  writes: { addAttempts },
});

/** The counts of attempts at a channel for a model, in the order of the columns below. */
export type AttemptsAt = {
  readonly channelId: number;
  readonly model: string;
  readonly counts: readonly number[];
};

/** The columns with counts, in the order in which tallies hold the counts. */
const countColumns = [
  ...attemptCounts,
  // Safe cast: the table has a column for each bucket.
  ...Array.from({ length: firstByteBuckets }, (_, bucket) => `first_byte_${bucket}` as CountColumn),
] as const;

const hourSeconds = 3_600;

/** How many rows one statement writes; SQLite allows 32,766 parameters in one. */
const rowsAtOnce = 200;

/** Adds attempts to the rows of an hour. */
async function addAttempts(
  tx: Db,
  { hour, tallies }: { readonly hour: number; readonly tallies: readonly AttemptsAt[] },
): Promise<void> {
  // Nodes write in the same order, so that they do not wait for each other in a circle.
  const sorted = tallies.toSorted(
    (a, b) => a.channelId - b.channelId || (a.model < b.model ? -1 : 1),
  );
  for (let from = 0; from < sorted.length; from += rowsAtOnce) {
    const rows = sorted.slice(from, from + rowsAtOnce).map(({ channelId, model, counts }) => {
      const named = Object.fromEntries(
        countColumns.map((column, index) => [column, counts[index] ?? 0]),
      );
      // Safe cast: every column but the time is set.
      return { channel_id: channelId, model_name: model, ...named } as Counted;
    });
    await tx
      .insertInto("channel_hours")
      .values(rows.map((row) => ({ ...row, hour })))
      .onConflict((conflict) =>
        conflict.columns(["hour", "channel_id", "model_name"]).doUpdateSet(added("channel_hours")),
      )
      .execute();
    await tx
      .insertInto("channel_days")
      .values(rows.map((row) => ({ ...row, day: startOfDay(hour) })))
      .onConflict((conflict) =>
        conflict.columns(["day", "channel_id", "model_name"]).doUpdateSet(added("channel_days")),
      )
      .execute();
  }
}

type Counted = Omit<ChannelHourTable, "hour">;

/** Says for each count that it is added to the row that is there. */
function added(table: "channel_days" | "channel_hours") {
  const sums = countColumns.map((column) => {
    const present = sql.ref(`${table}.${column}`);
    return [column, sql<number>`${present} + ${sql.ref(`excluded.${column}`)}`] as const;
  });
  return Object.fromEntries(sums);
}

type UseFilter = {
  /** Unix seconds; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly modelName: string;
  readonly channelId: number;
  readonly merge: boolean;
};

type Charged = Pick<ChannelUse, "channel_id" | "count" | "model_name" | "quota" | "token_used">;
type Attempted = Pick<ChannelUse, "channel_id" | "model_name"> & {
  readonly [column: string]: number | string;
};

/** Lists what was charged through each channel and how its attempts ended. */
async function readChannelUse(db: Db, filter: UseFilter): Promise<ChannelUse[]> {
  const charged = await readCharged(db, filter);
  const attempted = await readAttempted(db, filter);
  const keyOf = (row: Pick<ChannelUse, "channel_id" | "model_name">): string =>
    `${row.channel_id} ${row.model_name}`;
  const attempts = new Map(attempted.map((row) => [keyOf(row), row]));
  const known = new Set(charged.map(keyOf));
  const untaken = attempted
    .filter((row) => !known.has(keyOf(row)))
    .map(({ channel_id, model_name }) => ({
      channel_id,
      model_name,
      count: 0,
      quota: 0,
      token_used: 0,
    }));
  const rows = [...charged, ...untaken].slice(0, channelUseMax);
  const names = await namesOf(db, [...new Set(rows.map(({ channel_id }) => channel_id))]);
  return rows.map((row) => ({
    ...row,
    channel_name: names.get(row.channel_id) ?? "",
    ...outcomesOf(attempts.get(keyOf(row))),
  }));
}

async function readCharged(db: Db, filter: UseFilter): Promise<Charged[]> {
  const sums = await sumByChannel(db, filter);
  return sums
    .toSorted((a, b) => b.quota - a.quota || a.channel_id - b.channel_id)
    .slice(0, channelUseMax);
}

/**
 * Adds up attempts: of whole days from the rows by day, at both ends of the time by hour. They are
 * counted by hours, so a time is widened to whole ones.
 */
async function readAttempted(db: Db, filter: UseFilter): Promise<Attempted[]> {
  const { modelName, channelId, merge } = filter;
  const time = {
    start: filter.start - (filter.start % hourSeconds),
    end: Math.ceil(filter.end / hourSeconds) * hourSeconds,
  };
  const parts = attemptsIn(db, time, countColumns);
  const sum = (column: CountColumn) => summed(db, column);
  return await db
    .selectFrom(parts.as("parts"))
    .$if(channelId !== 0, (query) => query.where("channel_id", "=", channelId))
    .$if(modelName !== "", (query) => query.where(contains("model_name", modelName)))
    .groupBy(merge ? ["channel_id"] : ["channel_id", "model_name"])
    .select("channel_id")
    .select(merge ? sql<string>`''`.as("model_name") : "model_name")
    .select(countColumns.map((column) => sum(column).as(column)))
    // Leaves out what was tried only in the hours that are taken off a day.
    .having(sql`${sum("attempts")} + ${sum("broken")} + ${sum("cancelled")}`, "<>", 0)
    .orderBy("channel_id")
    .limit(channelUseMax)
    .execute();
}

function outcomesOf(row: Attempted | undefined) {
  const count = (column: string): number => Number(row?.[column] ?? 0);
  const times = Array.from({ length: firstByteBuckets }, (_, bucket) =>
    count(`first_byte_${bucket}`),
  );
  const failures = Object.fromEntries(failureCounts.map((column) => [column, count(column)]));
  return {
    attempts: count("attempts"),
    retries: count("retries"),
    // An attempt that broke off had begun well, so it was counted as answered.
    succeeded: Math.max(0, count("answered") - count("broken")),
    failed: failureCounts.reduce((sum, column) => sum + count(column), 0),
    // Safe cast: the object has exactly these names.
    ...(failures as Record<(typeof failureCounts)[number], number>),
    first_byte_p50: quantileOf(times, 0.5),
    first_byte_p99: quantileOf(times, 0.99),
  };
}

async function namesOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("channels")
    .select(["id", "name"])
    .where("id", "in", ids)
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  const gone = ids.filter((id) => !names.has(id));
  return gone.length === 0 ? names : new Map([...(await removedNames(db, gone)), ...names]);
}

/** What the audit log keeps of channels that were removed. */
const removal = z.object({ before: z.array(z.object({ id: z.number(), name: z.string() })) });

/** Finds the last names of channels that were removed, in the audit log. */
async function removedNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom("audit_log")
    .select("detail")
    .where("action", "=", "channel.remove")
    .orderBy("id")
    .execute();
  const removed = rows.flatMap(({ detail }) => removal.parse(JSON.parse(detail)).before);
  return new Map(removed.filter(({ id }) => ids.includes(id)).map(({ id, name }) => [id, name]));
}
