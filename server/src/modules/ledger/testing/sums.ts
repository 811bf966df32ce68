import type { Db } from "#db/database.ts";
import { addToSums } from "#modules/ledger/sums.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";

/**
 * Adds charged calls to the roll-up and the counters, as a settlement does, and then takes some of
 * them out again, as a reversal does.
 */
export async function addCalls(
  db: Db,
  rows: readonly CallLogRow[],
  reversed: readonly CallLogRow[],
  nowMs: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await addToSums(tx, rows, [], nowMs);
    await addToSums(tx, [], reversed, nowMs);
  });
}
