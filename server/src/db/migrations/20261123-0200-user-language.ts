import type { Kysely } from "kysely";

/** Adds the language of a user's e-mails and notices; empty until it is known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("users")
    .addColumn("language", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
