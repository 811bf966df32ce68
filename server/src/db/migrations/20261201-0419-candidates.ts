import type { Kysely } from "kysely";

/** Adds the channels that a call could have gone to; of earlier calls they are not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("logs")
    .addColumn("candidates", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
