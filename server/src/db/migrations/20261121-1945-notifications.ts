import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds columns that replace the JSON text `users.setting`, which nothing has written yet. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "notification_settings"), whole, [
    "user_id",
    "quota_warning_threshold",
  ])
    .$call(texts("notify_type", "notification_email", "webhook_url", "webhook_secret", "bark_url"))
    .addPrimaryKeyConstraint("notification_settings_key", ["user_id"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "quota_warnings"), whole, ["user_id", "warned_at"])
    .addColumn("is_low", whole, (column) => column.notNull().check(sql`is_low in (0, 1)`))
    .addPrimaryKeyConstraint("quota_warnings_key", ["user_id"] as never[])
    .execute();
  await db.schema.alterTable("users").dropColumn("setting").execute();
}
