import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";

/**
 * Adds what an import needs that follows its source: users who cannot call here yet, and how far a
 * run has come.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("users")
    .addColumn("moving", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`moving in (0, 1)`),
    )
    .execute();
  for (const name of ["follows", "ended_at"]) {
    await db.schema
      .alterTable("imports")
      .addColumn(name, whole, (column) =>
        column
          .notNull()
          .defaultTo(0)
          .check(sql`${sql.ref(name)} between 0 and ${sql.lit(wholeMax)}`),
      )
      .execute();
  }
  await db.schema
    .alterTable("imports")
    .addColumn("progress", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
