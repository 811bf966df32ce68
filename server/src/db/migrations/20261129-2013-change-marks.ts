import type { Kysely } from "kysely";

/** Adds what tells a change of configuration from another one of the same version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("config_changes")
    .addColumn("mark", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
