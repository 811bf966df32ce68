import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds how calls have ended, and sums of it by hour. The rows that are there get theirs in pieces
 * beside calls (`modules/logs/answers/earlier-endings.repo.ts`), because a start must not wait until
 * a whole log is read: from which row on is noted, and the processes that write without endings.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Endings are compared by their beginnings, so they are sorted by their bytes.
  const bytes = dialect === "sqlite" ? sql`text` : sql`text collate "C"`;
  await db.schema
    .alterTable("logs")
    .addColumn("ending", bytes, (column) => column.notNull().defaultTo(""))
    .execute();
  await wholes(createTable(db, dialect, "ending_hours"), wholeType(dialect), [
    "hour",
    "user_id",
    "token_id",
    "channel_id",
    "calls",
    "first_at",
    "last_at",
    "last_id",
  ])
    .$call(texts("model_name", "group"))
    .addColumn("ending", bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("ending_hours_key", [
      "hour",
      "user_id",
      "token_id",
      "channel_id",
      "model_name",
      "group",
      "ending",
    ] as never[])
    .execute();
  await db.schema
    .createIndex("logs_ended")
    .on("logs")
    .columns(["ending", "created_at", "id"])
    .where(sql<boolean>`ending <> ''`)
    .execute();
  const joined = dialect === "sqlite" ? sql`group_concat(id, ',')` : sql`string_agg(id, ',')`;
  const isNew = sql`not exists (select 1 from logs) and not exists (select 1 from nodes)`;
  await sql`
    insert into meta (key, value)
    select 'endings_done', '0' where not (${isNew})
    union all
    select 'endings_nodes', (select coalesce(${joined}, '') from nodes) where not (${isNew})
  `.execute(db);
}
