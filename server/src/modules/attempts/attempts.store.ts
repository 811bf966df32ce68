/**
 * Counts attempts that guard accounts for all nodes together: exact, whichever node each attempt
 * reaches, and after a restart too.
 */

import { sql } from "kysely";
import {
  addHit,
  forgetBefore,
  openCounters,
  type RateCounters,
  removeHit,
  stepMsOf,
  waitMs,
} from "#base/rate-counters.ts";
import type { RateRule, RateVerdict } from "#base/rate-limit.ts";
import type { Db } from "#db/database.ts";
import { databaseMs, skipLocked } from "#db/dialect.ts";
import { defineStore } from "#db/store.ts";

export const attemptStore = defineStore({
  reads: { lookAttempt },
  writes: { giveBackAttempt, takeAttempt },
});

/** The most rows whose attempts no longer count that one attempt removes. */
const removedMax = 100;

/** Counts an attempt, unless it exceeds the limit. */
async function takeAttempt(tx: Db, rule: RateRule, key: string): Promise<RateVerdict> {
  const { counters: text, nowMs } = await lockRow(tx, rule, key);
  const counters = parse(text);
  const verdict = judge(rule, counters, nowMs);
  if (!verdict.allowed) return verdict;
  addHit(counters, nowMs, stepMsOf(rule.windowMs, rule.max));
  await save(tx, rule, key, counters);
  if (text === "") await removeEnded(tx, nowMs);
  return verdict;
}

/** Returns the verdict that `takeAttempt` would give, and counts nothing. */
async function lookAttempt(db: Db, rule: RateRule, key: string): Promise<RateVerdict> {
  const row = await db
    .selectFrom("attempts")
    .select(["counters", databaseMs(db).as("nowMs")])
    .where("rule", "=", rule.name)
    .where("key", "=", key)
    .executeTakeFirst();
  return row === undefined
    ? { allowed: true, retryAfterMs: 0 }
    : judge(rule, parse(row.counters), row.nowMs);
}

/** Takes back the newest attempt. */
async function giveBackAttempt(tx: Db, rule: RateRule, key: string): Promise<void> {
  const { counters: text } = await lockRow(tx, rule, key);
  const counters = parse(text);
  removeHit(counters);
  await save(tx, rule, key, counters);
}

/** Locks the row of a limit and key until the transaction ends; makes it if there is none. */
async function lockRow(tx: Db, { name, windowMs }: RateRule, key: string) {
  const now = databaseMs(tx);
  const endsAt = sql<number>`${now} + ${sql.lit(windowMs)}`;
  return await tx
    .insertInto("attempts")
    .values({ rule: name, key, counters: "", ends_at: endsAt })
    .onConflict((conflict) => conflict.columns(["rule", "key"]).doUpdateSet({ ends_at: endsAt }))
    .returning(["counters", now.as("nowMs")])
    .executeTakeFirstOrThrow();
}

async function save(tx: Db, rule: RateRule, key: string, counters: RateCounters): Promise<void> {
  await tx
    .updateTable("attempts")
    .set({ counters: textOf(counters) })
    .where("rule", "=", rule.name)
    .where("key", "=", key)
    .execute();
}

function judge({ max, windowMs }: RateRule, counters: RateCounters, nowMs: number): RateVerdict {
  const sinceMs = nowMs - windowMs;
  forgetBefore(counters, sinceMs);
  const retryAfterMs = waitMs(counters, { max, sinceMs });
  return { allowed: retryAfterMs === 0, retryAfterMs };
}

function parse(text: string): RateCounters {
  const counters = openCounters();
  if (text === "") return counters;
  for (const pair of text.split(",")) {
    const [endMs, count] = pair.split(":");
    counters.endsMs.push(Number(endMs));
    counters.counts.push(Number(count));
  }
  return counters;
}

function textOf({ endsMs, counts }: RateCounters): string {
  return endsMs.map((endMs, at) => `${endMs}:${counts[at]}`).join(",");
}

/** Removes some rows whose attempts no longer count. */
async function removeEnded(tx: Db, nowMs: number): Promise<void> {
  const ended = await skipLocked(
    tx,
    tx
      .selectFrom("attempts")
      .select(["rule", "key"])
      .where("ends_at", "<", nowMs)
      .orderBy("ends_at")
      .limit(removedMax),
  ).execute();
  for (const { rule, key } of ended) {
    await tx.deleteFrom("attempts").where("rule", "=", rule).where("key", "=", key).execute();
  }
}
