/** Up to which row the usage log may have been cleaned. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";

const watermarkKey = "log_watermark";

/**
 * Raises the log watermark. Log rows with ids up to it may have been removed by a cleaning. Their
 * ledger entries keep amount and hash of the row, so the ledger can still be proved.
 */
export async function raiseLogWatermark(tx: Db, logId: number): Promise<void> {
  if (logId <= 0) return;
  await tx
    .insertInto("meta")
    .values({ key: watermarkKey, value: String(logId) })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({ value: String(logId) })
        // The values are compared in the statement itself, so that the watermark is never lowered
        // when two nodes write it at the same time.
        .where(sql<boolean>`cast(meta.value as bigint) < cast(${logId} as bigint)`),
    )
    .execute();
}

/** Reads the log watermark; 0: no log row was ever removed by a cleaning. */
export async function readLogWatermark(db: Db): Promise<number> {
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", watermarkKey)
    .executeTakeFirst();
  return row === undefined ? 0 : Number(row.value);
}
