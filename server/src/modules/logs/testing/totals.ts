import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import { logStore } from "#modules/logs/logs.store.ts";

/**
 * Makes the totals of all hours that are over, as the job does.
 * @param now Unix seconds.
 */
export async function makeTotals(db: Db, now: number): Promise<void> {
  const store = bindStore(logStore, db);
  while (await store.advanceTotals(now)) continue;
}
