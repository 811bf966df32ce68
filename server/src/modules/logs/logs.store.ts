/** What runs beside the database for the usage log. */

import { type ChargedUsage, chargedUsage } from "@tollgate/contract/money/charge.ts";
import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";
import { readChart } from "./answers/chart.repo.ts";
import {
  findEarlierEndings,
  noteBeforeRemoval,
  noteEarlierEndings,
} from "./answers/earlier-endings.repo.ts";
import { listLogIds, readLogRows } from "./answers/export.repo.ts";
import { readFacet } from "./answers/facets.repo.ts";
import { readFailures } from "./answers/failures.repo.ts";
import { boundFilter, boundList } from "./answers/newest-tagged.repo.ts";
import { removeTags } from "./answers/tags.repo.ts";
import { keepSums } from "./cleaning/cleaned-hours.repo.ts";
import {
  beginCleaning,
  countOldLogs,
  findCleaning,
  type KeptCleaning,
  lockCleaning,
  saveCleaning,
} from "./cleaning/cleaning.repo.ts";
import type { LogFilter } from "./log-filter.repo.ts";
import { sumLogs } from "./log-sums.repo.ts";
import { advanceTotals } from "./usage-totals.repo.ts";
import { raiseLogWatermark } from "./log-watermark.ts";
import { findReceipt } from "./receipts.repo.ts";
import { pricesOf } from "./statements/row-prices.ts";
import { readStatement } from "./statements/statement.repo.ts";
import { readRerates } from "./row-rerates.repo.ts";
import { findCharge, findLog, listOldLogs, pageLogs, removeLogs } from "./logs.repo.ts";

export const logStore = defineStore({
  reads: {
    countOldLogs,
    findCharge: readCharge,
    findReceipt,
    findCleaning,
    findEarlierEndings,
    findLog,
    listLogIds,
    pageLogs: readPage,
    readChart,
    readFacet,
    readFailures,
    readLogRows,
    readStatement,
    sumLogs: readSums,
  },
  writes: {
    advanceTotals,
    beginCleaning,
    cleanLogs,
    cleanStep,
    noteCleaning,
    noteCleaningTotal,
    noteEarlierEndings,
    noteReading,
    noteTextRemoval,
    stopCleaning,
  },
});

async function readPage(db: Db, filter: LogFilter, window: PageWindow, now: number) {
  const found = await boundList(db, filter);
  if (found === null) return { items: [], total: 0, ...window };
  return await pageLogs(db, found, window, now);
}

async function readSums(db: Db, filter: LogFilter, now: number) {
  const found = await boundFilter(db, filter);
  return found === null ? { quota: 0, rpm: 0, tpm: 0 } : await sumLogs(db, found, now);
}

/**
 * Reads the usage and prices from which a row's charge was computed. Only the prices of the row's
 * model are returned, because a whole list may be too long to be sent from the database's thread to
 * another one.
 */
async function readCharge(db: Db, id: number, userId: number | null): Promise<LogCharge | null> {
  const row = await findCharge(db, id, userId);
  if (row === null) return null;
  const { price_version, prices, model_name, group, usage, write_off } = row;
  const parsed = prices === null ? undefined : parsePrices({ id: price_version, content: prices });
  return {
    usage: parseUsage(usage),
    prices: parsed === undefined ? null : pricesOf(parsed.list, model_name, group),
    write_off,
    rerates: await readRerates(db, { id, userId: row.user_id, quota: row.quota }),
  };
}

function parseUsage(text: string): ChargedUsage | null {
  try {
    return chargedUsage.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * The largest number of rows that one transaction removes, so that it does not delay the
 * transactions that settle calls for long.
 */
const cleanBatch = 200;

const consumption = 2;

/**
 * Removes a batch of the oldest rows before a time. The ledger keeps the charges of the calls and
 * the hashes of their rows. It raises the log watermark, up to which the proof of the ledger
 * accepts that rows are missing.
 * @param before Unix seconds.
 * @returns the number of removed rows, and whether there may be more to remove.
 */
async function cleanLogs(tx: Db, before: number): Promise<{ removed: number; more: boolean }> {
  const rows = await listOldLogs(tx, before, cleanBatch);
  if (rows.length === 0) return { removed: 0, more: false };
  const charged = rows.filter(({ type }) => type === consumption).map(({ id }) => id);
  if (charged.length > 0) await raiseLogWatermark(tx, Math.max(...charged));
  const ids = rows.map(({ id }) => id);
  await noteBeforeRemoval(tx, ids);
  const removed = await removeLogs(tx, ids);
  await keepSums(tx, removed);
  await removeTags(tx, ids, before);
  return { removed: removed.length, more: rows.length === cleanBatch };
}

/**
 * Removes the next batch of the cleaning that runs in the background.
 * @param nowMs Unix milliseconds.
 * @returns the cleaning, or null if there was none.
 */
async function cleanStep(tx: Db, nowMs: number): Promise<KeptCleaning | null> {
  const cleaning = await lockCleaning(tx);
  if (cleaning?.state !== "running") return cleaning;
  const { removed, more } = await cleanLogs(tx, cleaning.before);
  const next: KeptCleaning = {
    ...cleaning,
    removed: cleaning.removed + removed,
    beatMs: nowMs,
    state: more ? "running" : "done",
  };
  await saveCleaning(tx, next);
  if (!more) await noteCleaning(tx, { ...next, nowMs });
  return next;
}

/** Stores how many rows the running cleaning has to remove. */
async function noteCleaningTotal(tx: Db, left: number): Promise<void> {
  const cleaning = await lockCleaning(tx);
  if (cleaning?.state !== "running" || cleaning.total !== null) return;
  await saveCleaning(tx, { ...cleaning, total: cleaning.removed + left });
}

/** Ends the cleaning that runs in the background, if one does. */
async function stopCleaning(tx: Db, nowMs: number): Promise<KeptCleaning | null> {
  const cleaning = await lockCleaning(tx);
  if (cleaning?.state !== "running") return cleaning;
  const stopped: KeptCleaning = { ...cleaning, state: "stopped" };
  await saveCleaning(tx, stopped);
  await noteCleaning(tx, { ...stopped, nowMs });
  return stopped;
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

type Reading = {
  readonly id: number;
  readonly request_id: string;
  readonly user_id: number;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Notes that somebody reads the texts of a call. */
async function noteReading(tx: Db, { id, request_id, user_id, actor, nowMs }: Reading) {
  const detail = { request_id, user_id };
  await appendAudit(tx, { actor, action: "log.read_text", target: `log:${id}`, detail, nowMs });
}

/** Notes that somebody has removed the texts of all calls. */
async function noteTextRemoval(
  tx: Db,
  { removed, actor, nowMs }: Omit<Cleaning, "before">,
): Promise<void> {
  const detail = { removed };
  await appendAudit(tx, { actor, action: "log.remove_texts", target: "log", detail, nowMs });
}
