/** What runs beside the database for what channels have issued. */

import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import type { IssuedTable } from "#db/tables/issued.ts";
import { addIssued } from "./issuers.ts";

export const issuerStore = defineStore({
  reads: { findIssued, findAllIssued, readDays },
  writes: { addIssued, removeIssued },
});

type Found = Pick<IssuedTable, "channel_id" | "key_mark" | "user_id">;

async function findIssued(db: Db, mark: string): Promise<Found | null> {
  const row = await db
    .selectFrom("issued")
    .select(["channel_id", "key_mark", "user_id"])
    .where("mark", "=", mark)
    .executeTakeFirst();
  return row ?? null;
}

async function findAllIssued(
  db: Db,
  marks: readonly string[],
): Promise<(Found & Pick<IssuedTable, "mark">)[]> {
  return await db
    .selectFrom("issued")
    .select(["mark", "channel_id", "key_mark", "user_id"])
    .where("mark", "in", marks)
    .execute();
}

/** Counts the rows of each day, oldest first. */
async function readDays(db: Db): Promise<{ day: number; count: number }[]> {
  const { count } = db.fn;
  const rows = await db
    .selectFrom("issued")
    .select(["day", count("mark").as("count")])
    .groupBy("day")
    .orderBy("day")
    .execute();
  return rows.map((row) => ({ day: row.day, count: Number(row.count) }));
}

/**
 * Removes at most `limit` rows of the days before a day.
 * @returns how many there were.
 */
async function removeIssued(tx: Db, before: number, limit: number): Promise<number> {
  const old = tx.selectFrom("issued").select("mark").where("day", "<", before).limit(limit);
  const { numDeletedRows } = await tx
    .deleteFrom("issued")
    .where("mark", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
