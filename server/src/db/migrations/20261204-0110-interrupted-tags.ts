import type { Kysely } from "kysely";

/** Keeps the tags of a running call with its reservation, for its row if its node dies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("reservations")
    .addColumn("tags", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
