import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/**
 * Adds sums of what provider caches had of prompts, what calls cost more because their conversations
 * had moved, which tools they bring results of, an index of conversations, and links to them. Of
 * earlier calls nothing of it is known.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await db.schema
    .alterTable("logs")
    .addColumn("moved_quota", whole, (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`moved_quota between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await db.schema
    .alterTable("logs")
    .addColumn("tool_names", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await sql`create index logs_conversation_id on logs (conversation_id, created_at, id)
    where conversation_id <> 0`.execute(db);
  const key = ["hour", "user_id", "token_id", "channel_id", "model_name", "group"];
  await wholes(createTable(db, dialect, "prompt_cache_hours"), whole, [
    "hour",
    "user_id",
    "token_id",
    "channel_id",
    "cached_tokens",
    "moved_quota",
  ])
    .$call(texts("model_name", "group"))
    .addPrimaryKeyConstraint("prompt_cache_hours_key", key as never[])
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "conversation_links")), whole, [
    "conversation_id",
    "user_id",
    "created_at",
    "expires_at",
  ])
    .addColumn("lookup", "text", (column) => column.notNull().unique())
    .execute();
  await index(db, "conversation_links", ["user_id"]);
}
