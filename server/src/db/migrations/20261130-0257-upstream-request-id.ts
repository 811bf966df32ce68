import type { Kysely } from "kysely";

/** Adds the id that the upstream gave a call; of what is there none is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("logs")
    .addColumn("upstream_request_id", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
