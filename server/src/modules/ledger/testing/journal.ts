/** Sends operations to a test's books by way of the journal. */

import type { Db } from "#db/database.ts";
import { encodeOperations } from "#modules/ledger/batch-text.ts";
import { type Applied, applyRecords } from "#modules/ledger/journal/apply-records.ts";
import { appendRecord, readJournalEnd } from "#modules/ledger/journal/records.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { epochOf } from "./books.ts";

/** Writes operations as one record of the node `node-1`. @returns its `seq`. */
export async function append(db: Db, operations: readonly Operation[]): Promise<number> {
  const nodeId = "node-1";
  const epoch = await epochOf(db, nodeId);
  const { seq, sum } = await readJournalEnd(db, nodeId);
  const body = encodeOperations(operations);
  const calls = operations.length;
  const record = { nodeId, epoch, seq: seq + 1, calls, body, before: sum };
  const answer = await appendRecord(db, record);
  if (answer === "fenced") throw new Error("the epoch has ended");
  return seq + 1;
}

/** Writes the records of the node `node-1` up to one into the books. */
export async function applyUpTo(db: Db, upTo: number, apart = false): Promise<Applied> {
  return await db
    .transaction()
    .execute(async (tx) => await applyRecords(tx, "node-1", upTo, apart));
}
