import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/** Adds how much output came of a call; 0 in the rows that are there. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .alterTable("logs")
    .addColumn("seen_output", wholeType(dialect), (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`seen_output between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
}
