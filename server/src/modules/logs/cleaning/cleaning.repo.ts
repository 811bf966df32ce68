/**
 * The cleaning of the log in the background. Its state is one row of the table `meta`, which each
 * batch reads and writes in its transaction: so it can be stopped, survives a restart, and any node
 * can go on with it.
 */

import type { LogCleaning } from "@tollgate/contract/endpoints/logs.ts";
import { Refusal } from "#base/refusal.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { Actor } from "#modules/audit/audit.ts";

const cleaningKey = "log_cleaning";

/** A running cleaning whose last batch is older than this has lost its node. Milliseconds. */
export const orphanedMs = 30_000;

export type KeptCleaning = LogCleaning & {
  /** When the last batch was removed. Unix milliseconds. */
  readonly beatMs: number;
  /** Who has started it; for the audit log. */
  readonly actor: Actor;
};

export async function findCleaning(db: Db): Promise<KeptCleaning | null> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", cleaningKey)
    .executeTakeFirst();
  return row === undefined ? null : parse(row.value);
}

/** Reads the cleaning and locks it until the transaction ends. */
export async function lockCleaning(tx: Db): Promise<KeptCleaning | null> {
  const query = tx.selectFrom("meta").select("value").where("key", "=", cleaningKey);
  const row = await lockRows(tx, query).executeTakeFirst();
  return row === undefined ? null : parse(row.value);
}

/** Safe cast: `saveCleaning` wrote the text. */
function parse(text: string): KeptCleaning {
  return JSON.parse(text) as KeptCleaning;
}

export async function saveCleaning(tx: Db, cleaning: KeptCleaning): Promise<void> {
  const value = JSON.stringify(cleaning);
  await tx
    .insertInto("meta")
    .values({ key: cleaningKey, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/**
 * Begins a cleaning; a second request for the one that is running changes nothing.
 * @throws Refusal when another one is running.
 */
export async function beginCleaning(
  tx: Db,
  {
    before,
    actor,
    nowMs,
  }: { readonly before: number; readonly actor: Actor; readonly nowMs: number },
): Promise<KeptCleaning> {
  const present = await lockCleaning(tx);
  if (present?.state === "running") {
    if (present.before === before) return present;
    throw new Refusal("limit-reached", "正在清理日志，请等它结束或先停止它");
  }
  const started = { state: "running" as const, before, removed: 0, total: null };
  const cleaning = { ...started, started_at: unixSeconds(nowMs), beatMs: nowMs, actor };
  await saveCleaning(tx, cleaning);
  return cleaning;
}

export async function countOldLogs(db: Db, before: number): Promise<number> {
  const { count } = await db
    .selectFrom("logs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("created_at", "<", before)
    .executeTakeFirstOrThrow();
  return count;
}
