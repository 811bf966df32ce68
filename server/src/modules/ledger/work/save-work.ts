/** Writes what a batch of operations has led to, each balance and sum once. */

import { inOrder } from "#db/pipeline.ts";
import { saveAccounts } from "#modules/ledger/accounts.ts";
import { saveBudgets } from "#modules/ledger/budgets/budget-rows.ts";
import { hashedOf, noteCalls, settlementEntry } from "#modules/ledger/call-rows.ts";
import { insertEntries } from "#modules/ledger/entries.ts";
import { noteWriteOffs } from "#modules/ledger/recovery.ts";
import { noteDropped } from "#modules/ledger/rerate/drop-rerate.ts";
import { deleteReservations, upsertReservations } from "#modules/ledger/reservations.ts";
import { noteReversals, reversalEntry, reversedRow } from "#modules/ledger/reversals.ts";
import { addToSums } from "#modules/ledger/sums.ts";
import { insertHashedLogs } from "#modules/logs/logs.ts";
import { addToPromptCaches } from "./prompt-cache-sums.ts";
import type { Work } from "./work.ts";

/** Writes everything that the operations of a batch have led to. */
export async function saveWork(work: Work): Promise<void> {
  const { tx, accounts, budgets, ended, opened, writeOffs } = work;
  await inOrder(tx, [
    async () => await deleteReservations(tx, ended),
    async () => await upsertReservations(tx, [...opened.values()]),
    async () => await saveCalls(work),
    async () => await noteWriteOffs(tx, writeOffs),
    async () => await saveAccounts(tx, accounts),
    async () => await saveBudgets(tx, budgets),
  ]);
}

async function saveCalls(work: Work): Promise<void> {
  const { tx, accounts, booked, debts, dropped, rows, logIds } = work;
  if (booked.length + rows.length + debts.length === 0) return;
  const settled = booked.flatMap((one) => ("row" in one ? [one.row] : []));
  const { hashed, insert } = insertHashedLogs(tx, rows, logIds);
  const reversals = booked.flatMap((one) =>
    "row" in one ? [] : [{ ...one, logId: one.logId ?? hashedOf(one, hashed).id }],
  );
  const entries = booked.map((one) =>
    "row" in one
      ? settlementEntry(one, hashedOf(one, hashed))
      : reversalEntry(one, one.logId ?? hashedOf(one, hashed).id),
  );
  await inOrder(tx, [
    insert,
    async () => await insertEntries(tx, accounts, [...entries, ...debts]),
    // First, so that no sum falls below 0 in between.
    async () => await noteDropped(tx, dropped),
    async () => await addToSums(tx, settled, reversals.map(reversedRow)),
    async () => await addToPromptCaches(tx, settled, reversals.map(reversedRow)),
    async () => await noteReversals(tx, reversals),
    async () => await noteCalls(tx, booked, hashed),
  ]);
}
