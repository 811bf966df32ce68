import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/**
 * Adds a mark of calls that were charged and given back, and an index by which sums leave them out.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .alterTable("logs")
    .addColumn("reversed", wholeType(dialect), (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`reversed between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await db.schema
    .createIndex("logs_reversed")
    .on("logs")
    .columns(["created_at", "id"])
    .where(sql<boolean>`reversed = 1`)
    .execute();
}
