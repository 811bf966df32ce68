import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds the roll-up that leaves users and tokens out, the list of its hours that have changed since,
 * and all names that tokens have had.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "usage_totals"), whole, [
    "span",
    "start",
    "channel_id",
    "quota",
    "request_count",
    "prompt_tokens",
    "completion_tokens",
  ])
    .$call(texts("model_name", "group"))
    .addPrimaryKeyConstraint("usage_totals_key", [
      "span",
      "start",
      "channel_id",
      "model_name",
      "group",
    ] as never[])
    .execute();
  await wholes(createTable(db, dialect, "stale_hours"), whole, ["hour"])
    .addPrimaryKeyConstraint("stale_hours_key", ["hour"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "token_names"), whole, ["token_id", "user_id"])
    .$call(texts("name"))
    .addPrimaryKeyConstraint("token_names_key", ["name", "token_id"] as never[])
    .execute();
  await db.schema
    .createIndex("token_names_token_id")
    .on("token_names")
    .columns(["token_id"])
    .execute();
  await sql`
    insert into token_names (name, token_id, user_id)
    select name, id, user_id from tokens
    union select token_name, token_id, user_id from logs where token_id > 0
  `.execute(db);
}
