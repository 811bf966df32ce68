import type { Db } from "#db/database.ts";

/** Makes the log rows that are there those of earlier versions, as the update does. */
export async function markEarlier(db: Db): Promise<void> {
  const { last } = await db
    .selectFrom("logs")
    .select((eb) => eb.fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  await db
    .updateTable("meta")
    .set({ value: String(last) })
    .where("key", "=", "earlier_logs_end")
    .execute();
}
