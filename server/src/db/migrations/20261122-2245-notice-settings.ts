import { type Kysely, sql } from "kysely";
import { type Dialect, jsonObject } from "#db/dialect.ts";

const columns = [
  "notification_email",
  "webhook_url",
  "webhook_secret",
  "bark_url",
  "robot_type",
  "robot_key",
] as const;

/**
 * Adds one column for the settings of all notification ways, so that a new way needs no column of
 * its own. What was saved is moved there, as a JSON object of the old columns. Secrets stay sealed.
 * The rest cannot be sealed here, because the secret key is not known; it is sealed at the next
 * save.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .alterTable("notification_settings")
    .addColumn("settings", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  const moved = jsonObject(dialect, columns);
  await sql`update notification_settings set settings = ${moved}`.execute(db);
  for (const column of columns) {
    await db.schema.alterTable("notification_settings").dropColumn(column).execute();
  }
}
