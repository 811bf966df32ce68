import type { Kysely } from "kysely";

/** Adds to channels why their last test failed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("channels")
    .addColumn("test_error", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
