import type { PageWindow } from "contract/page.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { raiseLogWatermark } from "#modules/ledger/ledger.ts";
import { type LogFilter, listOldLogs, pageLogs, removeLogs, sumLogs } from "./logs.repo.ts";

export const logStore = defineStore({
  reads: { pageLogs: readPage, sumLogs: readSums },
  writes: { cleanLogs, noteCleaning },
});

async function readPage(db: Db, filter: LogFilter, window: PageWindow) {
  return await pageLogs(db, filter, window);
}

async function readSums(db: Db, filter: LogFilter, now: number) {
  return await sumLogs(db, filter, now);
}

/** Rows one transaction removes, so that the writer is soon free for calls again. */
const cleanBatch = 1_000;

const consumption = 2;

/**
 * Removes a batch of the oldest rows before a moment. Entries of the ledger keep what calls cost
 * and the hashes of their rows; up to which row the ledger may miss one is noted.
 *
 * @param before Unix seconds.
 * @returns how many; fewer than a batch when no more are left.
 */
async function cleanLogs(tx: Db, before: number): Promise<{ removed: number; more: boolean }> {
  const rows = await listOldLogs(tx, before, cleanBatch);
  if (rows.length === 0) return { removed: 0, more: false };
  const charged = rows.filter(({ type }) => type === consumption).map(({ id }) => id);
  if (charged.length > 0) await raiseLogWatermark(tx, Math.max(...charged));
  await removeLogs(
    tx,
    rows.map(({ id }) => id),
  );
  return { removed: rows.length, more: rows.length === cleanBatch };
}

type Cleaning = {
  readonly before: number;
  readonly removed: number;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

async function noteCleaning(tx: Db, { before, removed, actor, nowMs }: Cleaning): Promise<void> {
  await appendAudit(tx, {
    actor,
    action: "log.clean",
    target: "log",
    detail: { before, removed },
    nowMs,
  });
}
