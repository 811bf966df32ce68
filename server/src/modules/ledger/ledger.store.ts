/** What runs beside the database for all money. */

import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { loadAccounts, saveAccounts } from "./accounts.ts";
import { applyBatch } from "./batch.ts";
import { decodeBatch } from "./batch-text.ts";
import { payDebtOf } from "./debts/debts.ts";
import { readBalanceDrift, readTokenDrift } from "./drift/drift.repo.ts";
import { balancesBefore, type Posted } from "./ledger.ts";
import { postedOf } from "./postings/postings.ts";
import { insertEntries } from "./entries.ts";
import { applyEnded, applyRecords } from "./journal/apply-records.ts";
import { appendRecord, readJournalEnd } from "./journal/records.ts";
import { countRefused } from "./journal/refuse.ts";
import { findLostWrites } from "./lost/lost-writes.ts";
import { storeReport } from "./lost/report.ts";
import { chargeAgain } from "./lost/restore.ts";
import { readSchemaKeys } from "./lost/schema-keys.ts";
import {
  beat,
  countNodes,
  endEpochs,
  endOtherEpochs,
  findLostNodes,
  hasNode,
  joinNodes,
  noteConfigVersion,
  noteDraining,
  readLineage,
  rejoinNodes,
  removeNodes,
} from "./nodes.ts";
import type { BatchAnswer } from "./operations.ts";
import { releaseInterrupted, releaseUnowned } from "./recovery.ts";

export const ledgerStore = defineStore({
  reads: {
    balancesBefore,
    countNodes,
    countRefused,
    findLostNodes,
    findLostWrites,
    hasNode,
    listBalances,
    listTokenBalances,
    readBalanceDrift,
    readTokenDrift,
  },
  writes: {
    applyBatchText,
    applyEnded,
    applyRecords,
    chargeAgain,
    endEpochs,
    endOtherEpochs,
    noteConfigVersion,
    payDebt,
    releaseInterrupted,
    releaseUnowned,
    removeNodes,
    storeReport,
  },
  pulses: { beat, joinNodes, noteDraining, readLineage, readSchemaKeys, rejoinNodes },
  singles: { appendRecord, readJournalEnd },
});

export type LedgerStore = RemoteStore<typeof ledgerStore>;

/** Applies a batch that comes from another thread as a text. */
async function applyBatchText(tx: Db, text: string): Promise<BatchAnswer> {
  return await applyBatch(tx, decodeBatch(text));
}

/** The most accounts that one statement reads: each answer is copied from thread to thread whole. */
const listedMax = 5_000;

type ListedBalance = { user_id: number; balance: number; debt: number };

/**
 * Reads the next balances and debts above 0 after a user's; none: there are no more. On SQLite the
 * whole balances are granted to the process when it starts.
 */
async function listBalances(db: Db, after: number): Promise<ListedBalance[]> {
  return await db
    .selectFrom("balances")
    .select(["user_id", "balance", "debt"])
    .where("user_id", ">", after)
    .where((eb) => eb.or([eb("balance", ">", 0), eb("debt", ">", 0)]))
    .orderBy("user_id")
    .limit(listedMax)
    .execute();
}

/**
 * Reads the quota that the next tokens after one may still spend, except of tokens without any
 * left. On SQLite all of it is granted to the process when it starts.
 */
async function listTokenBalances(
  db: Db,
  after: number,
): Promise<{ token_id: number; remain: number }[]> {
  return await db
    .selectFrom("token_balances")
    .select(["token_id", "remain"])
    .where("token_id", ">", after)
    .where("remain", ">", 0)
    .orderBy("token_id")
    .limit(listedMax)
    .execute();
}

/** Pays a user's debt from the balance, at most `most`. */
async function payDebt(
  tx: Db,
  userId: number,
  most: number,
  nowMs: number,
): Promise<{ readonly posted: Posted | null }> {
  const accounts = await loadAccounts(tx, [userId], []);
  const loaded = accounts.users.get(userId);
  if (loaded === undefined) return { posted: null };
  const paid = payDebtOf(loaded.now, most, nowMs);
  if (paid !== undefined) await insertEntries(tx, accounts, [paid]);
  await saveAccounts(tx, accounts);
  return { posted: postedOf(loaded) };
}
