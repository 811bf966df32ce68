import { sql } from "kysely";
import type { Database, Db } from "./database.ts";

/** Keeps the newest rows of one user in a table of events, and removes the others. */
export async function keepNewest(
  tx: Db,
  rows: {
    readonly table: keyof Database;
    readonly userId: number;
    /** Column with the time of an event; the rows with the largest values are kept. */
    readonly orderedBy: string;
    /** Column that is unique among the user's rows; it decides between equal times. */
    readonly key: string;
    readonly count: number;
  },
): Promise<void> {
  const [table, key] = [sql.table(rows.table), sql.ref(rows.key)];
  await sql`
    delete from ${table}
    where user_id = ${rows.userId} and ${key} not in (
      select ${key} from ${table}
      where user_id = ${rows.userId}
      order by ${sql.ref(rows.orderedBy)} desc, ${key}
      limit ${rows.count}
    )
  `.execute(tx);
}
