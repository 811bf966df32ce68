/** Hours of the roll-up that changed after they were over, whose totals have to be made anew. */

import type { Db } from "#db/database.ts";

/**
 * Notes hours that totals may have been made of. None are made before the hour is over
 * for an hour, so the clocks of nodes may differ by that, and a transaction may last that long.
 */
export async function markStale(tx: Db, stale: readonly number[]): Promise<void> {
  if (stale.length === 0) return;
  await tx
    .insertInto("stale_hours")
    .values(stale.map((hour) => ({ hour })))
    // Writes an hour that is noted already, because that locks its row: the totals of the hour are
    // made when this transaction has ended, and not without its calls.
    .onConflict((conflict) =>
      conflict.column("hour").doUpdateSet((eb) => ({ hour: eb.ref("excluded.hour") })),
    )
    .execute();
}

/**
 * Takes the oldest hours off the list of those that have changed after they were over: whoever has
 * made totals of the roll-up makes them anew.
 */
export async function takeStaleHours(tx: Db, limit: number): Promise<number[]> {
  const oldest = tx.selectFrom("stale_hours").select("hour").orderBy("hour").limit(limit);
  const rows = await tx
    .deleteFrom("stale_hours")
    .where("hour", "in", oldest)
    .returning("hour")
    .execute();
  return rows.map(({ hour }) => hour).toSorted((a, b) => a - b);
}
