import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/** Stores which warnings of budgets were sent, so that another node sends the rest when one dies. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("budget_warnings")
    .addColumn("claimed_at", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`claimed_at between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await db.schema
    .alterTable("budget_warnings")
    .addColumn("is_sent", whole, (column) =>
      column
        .notNull()
        .defaultTo(1)
        .check(sql`is_sent between 0 and 1`),
    )
    .execute();
}
