import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** Adds asynchronous tasks, and what was refunded of a charge. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "tasks")), whole, [
    "user_id",
    "token_id",
    "token_limited",
    "channel_id",
    "code",
    "progress",
    "submit_time",
    "start_time",
    "finish_time",
    "cost",
    "quota",
    "refunded",
    "loss",
    "log_id",
    "due_at",
    "deadline_at",
  ])
    .addColumn("task_id", "text", (column) => column.notNull().unique())
    .$call(texts("upstream_id", "request_id", "platform", "action", "model_name", "group"))
    .$call(texts("status", "prompt", "prompt_en", "description", "state", "fail_reason"))
    .$call(texts("result_url", "data", "notify_hook", "key_ref"))
    .execute();
  await db.schema
    .createIndex("tasks_upstream")
    .unique()
    .on("tasks")
    .columns(["channel_id", "upstream_id"])
    .where(sql<boolean>`upstream_id <> ''`)
    .execute();
  await db.schema
    .createIndex("tasks_due")
    .on("tasks")
    .columns(["due_at"])
    .where(sql<boolean>`due_at > 0`)
    .execute();
  await index(db, "tasks", ["user_id", "id"]);
  await index(db, "tasks", ["platform", "id"]);
  await db.schema
    .alterTable("logs")
    .addColumn("refunded", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`refunded between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
}
