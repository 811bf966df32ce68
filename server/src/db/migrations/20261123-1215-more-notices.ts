import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { wholes } from "./20261121-1500-foundation.ts";

/**
 * Notices of promotions, of the own account now and then, and of money; and when root was last told
 * of what.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  for (const event of ["promotion", "periodic_contact"]) {
    await db.schema
      .alterTable("notification_settings")
      .addColumn(event, whole, (column) =>
        column
          .notNull()
          .defaultTo(0)
          .check(sql`${sql.ref(event)} between 0 and 1`),
      )
      .execute();
  }
  await wholes(createTable(db, dialect, "notice_times"), whole, ["user_id", "sent_at"])
    .addColumn("type", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("notice_times_key", ["user_id", "type"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "money_notices"), whole, ["user_id", "quota", "claimed_at"])
    .addColumn("cause", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("money", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("money_notices_key", ["cause"] as never[])
    .execute();
}
