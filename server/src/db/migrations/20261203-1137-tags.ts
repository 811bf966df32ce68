import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { wholes } from "./20261121-1500-foundation.ts";

/** Adds the tags of calls, in a table beside the log, and those that tokens give their calls. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Facets look for tags by their beginnings, so they are sorted by their bytes.
  const bytes = dialect === "sqlite" ? sql`text` : sql`text collate "C"`;
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("tokens")
    .addColumn("tags", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await wholes(createTable(db, dialect, "log_tags"), whole, ["log_id"])
    .addColumn("tag", bytes, (column) => column.notNull())
    .$call((table) => wholes(table, whole, ["user_id", "created_at"]))
    .addPrimaryKeyConstraint("log_tags_key", ["log_id", "tag"] as never[])
    .execute();
  await db.schema
    .createIndex("log_tags_by_time")
    .on("log_tags")
    .columns(["tag", "created_at", "log_id"])
    .execute();
  await db.schema
    .createIndex("log_tags_of_user")
    .on("log_tags")
    .columns(["user_id", "tag", "created_at", "log_id"])
    .execute();
  await wholes(createTable(db, dialect, "tag_days"), whole, ["user_id", "day"])
    .addColumn("tag", bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("tag_days_key", ["user_id", "day", "tag"] as never[])
    .execute();
}
