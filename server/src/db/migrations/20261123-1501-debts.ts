import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/** Adds debts: what users owe after money went back whose quota they had spent. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const bounds: readonly (readonly [table: string, least: number])[] = [
    ["balances", 0],
    ["entries", -wholeMax],
  ];
  for (const [table, least] of bounds) {
    await db.schema
      .alterTable(table)
      .addColumn("debt", wholeType(dialect), (column) =>
        column
          .notNull()
          .defaultTo(0)
          .check(sql`debt between ${sql.lit(least)} and ${sql.lit(wholeMax)}`),
      )
      .execute();
  }
}
