import type { Kysely } from "kysely";

/** Adds to price versions why they were made. Those of before have no reason. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("price_versions")
    .addColumn("reason", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
