import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds budgets of tokens: their limits, what is spent and held in each window, and in which windows
 * reservations and entries count.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "token_budgets"), whole, [
    "token_id",
    "starts_at",
    "ends_at",
    "spent",
    "held",
  ])
    .$call(texts("kind"))
    .addPrimaryKeyConstraint("token_budgets_key", ["token_id", "kind", "starts_at"] as never[])
    .execute();
  const added: readonly (readonly [table: string, columns: readonly string[]])[] = [
    ["tokens", ["budget_day", "budget_week", "budget_month"]],
    ["reservations", ["budget_at", "budget_day", "budget_week", "budget_month"]],
    ["entries", ["budget_at"]],
  ];
  for (const [table, columns] of added) {
    for (const name of columns) {
      await db.schema
        .alterTable(table)
        .addColumn(name, whole, (column) =>
          column
            .notNull()
            .defaultTo(0)
            .check(sql`${sql.ref(name)} between 0 and ${sql.lit(wholeMax)}`),
        )
        .execute();
    }
  }
  // Finds the few entries of tokens with budgets; all others have 0.
  await db.schema
    .createIndex("entries_budget")
    .on("entries")
    .columns(["token_id", "budget_at"])
    .where(sql<boolean>`budget_at > 0`)
    .execute();
  await wholes(createTable(db, dialect, "budget_warnings"), whole, ["token_id", "starts_at"])
    .$call(texts("kind"))
    .addPrimaryKeyConstraint("budget_warnings_key", ["token_id", "kind", "starts_at"] as never[])
    .execute();
}
