import type { Db } from "./database.ts";

/** Lists the users who were removed after a time, which is a text as in `DeletedAt`. */
export async function listRemovedUsers(db: Db, since: string): Promise<number[]> {
  const rows = await db
    .selectFrom("users")
    .select("id")
    .where("DeletedAt", "is not", null)
    .where("DeletedAt", ">", since)
    .execute();
  return rows.map(({ id }) => id);
}
