/**
 * Makes the log rows of charged and failed calls that the ledger inserts, notes charges on the rows
 * of tasks, and the ids that answers gave their users.
 */

import { dayOf } from "#base/clock.ts";
import { newSalt } from "#base/random.ts";
import {
  type CallLog,
  type ChargedCallLog,
  type FailedCallLog,
  lastChannelOf,
} from "#canonical/call-log.ts";
import { chargedTexts, failedTexts } from "#canonical/call-texts.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import type { Db } from "#db/database.ts";
import { type CallLogRow, type HashedLog, type RowCharge, rowOf } from "#modules/logs/logs.ts";
import { addIssued } from "#modules/issuers/issuers.ts";
import { beginTask } from "#modules/tasks/tasks.ts";
import { againCauseOf, causeOf } from "./applied.ts";
import type { BudgetClaim } from "./budgets/budgets.ts";
import type { ChainedEntry } from "./entries.ts";

export function settledRow(log: ChargedCallLog, charged: number, writeOff: number): CallLogRow {
  const { usage, task } = log;
  return rowOf({
    log,
    texts: chargedTexts(log),
    charge: {
      type: 2,
      charged,
      writeOff,
      input: inputOf(usage),
      output: outputOf(usage),
      usage: JSON.stringify(task === undefined ? usage : { ...usage, task: task.use }),
      usageSource: log.usageSource,
      seenOutput: log.seenOutput,
      priceVersion: log.priceVersion,
      cost: log.cost,
      costVersion: log.costVersion,
      reportedCost: log.reportedCost,
      salt: newSalt(),
    },
  });
}

const notCharged: RowCharge = {
  type: 5,
  charged: 0,
  writeOff: 0,
  input: 0,
  output: 0,
  usage: "",
  usageSource: "",
  seenOutput: 0,
  priceVersion: 0,
  cost: 0,
  costVersion: 0,
  reportedCost: "",
  // No entry covers the row.
  salt: "",
};

export function failedRow(log: FailedCallLog): CallLogRow {
  return rowOf({ log, texts: failedTexts(log), charge: notCharged });
}

/**
 * The row of a call whose charge could not be written into the books, although the call was answered.
 * Root must look into it.
 */
export function pendingRow(log: ChargedCallLog): CallLogRow {
  const error = { type: "server_error", code: "charge_pending", message: "扣费待管理员处理" };
  return failedRow({ ...log, status: 200, error, fault: "" });
}

type Booked = { readonly log: ChargedCallLog; readonly charged: number };

export function hasTask({ log }: Booked): boolean {
  return log.task !== undefined;
}

/** Notes what else calls have led to: ids that answers gave, and tasks that were begun. */
export async function noteCalls(
  tx: Db,
  booked: readonly Booked[],
  hashed: ReadonlyMap<string, HashedLog>,
): Promise<void> {
  await addGiven(tx, booked);
  await beginTasks(tx, booked, hashed);
}

/**
 * Notes charge and upstream id on the rows of the tasks that were begun. Throws if the upstream id
 * is that of another task of the channel, so that nothing is charged for it.
 */
async function beginTasks(
  tx: Db,
  booked: readonly Booked[],
  hashed: ReadonlyMap<string, HashedLog>,
): Promise<void> {
  for (const one of booked) {
    // A reversal repeats the log of its settlement, which has begun the task.
    if (one.log.task === undefined || !("row" in one)) continue;
    const logId = hashed.get(one.log.requestId)?.id ?? 0;
    await beginTask(tx, one.log.task, { quota: one.charged, logId });
  }
}

/** Notes the ids that answers gave their users. */
async function addGiven(tx: Db, booked: readonly Booked[]): Promise<void> {
  const rows = booked.flatMap((one) => {
    const { given } = one.log;
    if (given === undefined || !("row" in one)) return [];
    const ids = { user_id: one.log.userId, channel_id: lastChannelOf(one.log) };
    const noted = { ...ids, key_mark: given.keyMark, day: dayOf(one.log.createdAt) };
    return given.marks.map((mark) => ({ mark, ...noted }));
  });
  if (rows.length > 0) await addIssued(tx, rows);
}

/** Makes the entry of a settlement, whose hash covers the log row. */
export function settlementEntry(
  settlement: {
    readonly log: ChargedCallLog;
    readonly charged: number;
    readonly budget: BudgetClaim | undefined;
    /** Whether the call was settled before, and the database has lost it. */
    readonly again: boolean;
  },
  { id, hash }: HashedLog,
): ChainedEntry {
  const { log, charged, budget, again } = settlement;
  return {
    cause: again ? againCauseOf(log.requestId) : causeOf(log.requestId),
    kind: "settle",
    user_id: log.userId,
    token_id: log.tokenId,
    channel_id: lastChannelOf(log),
    amount: 0 - charged,
    log_id: id,
    detail: hash,
    created_at: log.createdAt,
    budget_at: budget?.at,
  };
}

/** Returns the row that was inserted for a call. */
export function hashedOf(
  { log }: { readonly log: Pick<CallLog, "requestId"> },
  inserted: ReadonlyMap<string, HashedLog>,
): HashedLog {
  const hashed = inserted.get(log.requestId);
  if (hashed === undefined) throw new Error(`the log row of ${log.requestId} has no id`);
  return hashed;
}
