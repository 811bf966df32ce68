import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * The events that a user may be notified of, and whether a user who has already saved settings is
 * subscribed: to low balances only.
 */
const events = { quota_low: 1, price_change: 0, announcement: 0 } as const;

export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  for (const [event, isUsual] of Object.entries(events)) {
    await db.schema
      .alterTable("notification_settings")
      .addColumn(event, whole, (column) =>
        column
          .notNull()
          .defaultTo(isUsual)
          .check(sql`${sql.ref(event)} between 0 and 1`),
      )
      .execute();
  }
  for (const name of ["robot_type", "robot_key"]) {
    await db.schema
      .alterTable("notification_settings")
      .addColumn(name, "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  await wholes(addId(dialect, createTable(db, dialect, "broadcasts")), whole, [
    "begins_at",
    "cursor",
    "claimed_at",
  ])
    .addColumn("is_over", whole, (column) => column.notNull().check(sql`is_over between 0 and 1`))
    .$call(texts("event", "content"))
    .execute();
}
