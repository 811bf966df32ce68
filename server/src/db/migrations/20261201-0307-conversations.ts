import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/**
 * Adds the conversation that a call belongs to and how it was placed; of earlier calls none is known.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .alterTable("logs")
    .addColumn("conversation_id", wholeType(dialect), (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`conversation_id between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await db.schema
    .alterTable("logs")
    .addColumn("placement", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
