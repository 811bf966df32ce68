import { type Kysely, sql } from "kysely";
import { type Dialect, wholeType } from "#db/dialect.ts";

/**
 * Adds a mark of sessions, and of unfinished sign-ins, that began with a password which an e-mail
 * or an administrator gave the user.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  for (const table of ["sessions", "factor_tickets"]) {
    await db.schema
      .alterTable(table)
      .addColumn("by_given_password", whole, (column) =>
        column
          .notNull()
          .defaultTo(0)
          .check(sql`by_given_password between 0 and 1`),
      )
      .execute();
  }
}
