import { type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "entries"), whole, [
    "user_id",
    "seq",
    "token_id",
    "channel_id",
    "balance_after",
    "used_after",
    "log_id",
    "created_at",
  ])
    .addColumn("cause", "text", (column) => column.notNull().unique())
    .addColumn("amount", whole, (column) =>
      column.notNull().check(sql`amount between ${sql.lit(-wholeMax)} and ${sql.lit(wholeMax)}`),
    )
    .$call(texts("kind", "detail", "hash"))
    .addPrimaryKeyConstraint("entries_chain", ["user_id", "seq"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "balances"), whole, [
    "user_id",
    "balance",
    "held",
    "used",
    "entry_count",
  ])
    .addPrimaryKeyConstraint("balances_key", ["user_id"] as never[])
    .$call(texts("head_hash"))
    .addCheckConstraint("balances_held", sql`held <= balance`)
    .execute();
  await wholes(createTable(db, dialect, "token_balances"), whole, [
    "token_id",
    "granted",
    "remain",
    "used",
    "held",
  ])
    .addPrimaryKeyConstraint("token_balances_key", ["token_id"] as never[])
    .addCheckConstraint("token_balances_held", sql`held <= remain`)
    .execute();
  await wholes(createTable(db, dialect, "reservations"), whole, [
    "user_id",
    "token_id",
    "amount",
    "token_amount",
    "created_at",
  ])
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .$call(texts("node_id", "model_name", "group"))
    .execute();
  await index(db, "reservations", ["node_id"]);
  await createSums(db, dialect);
  await createLogs(db, dialect);
}

async function createSums(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "counters"), whole, [
    "id",
    "used_quota",
    "request_count",
    "prompt_tokens",
    "completion_tokens",
  ])
    .$call(texts("kind"))
    .addPrimaryKeyConstraint("counters_key", ["kind", "id"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "usage_hours"), whole, [
    "hour",
    "user_id",
    "token_id",
    "channel_id",
    "quota",
    "request_count",
    "prompt_tokens",
    "completion_tokens",
  ])
    .$call(texts("model_name", "group"))
    .addPrimaryKeyConstraint("usage_hours_key", [
      "hour",
      "user_id",
      "token_id",
      "channel_id",
      "model_name",
      "group",
    ] as never[])
    .execute();
  await index(db, "usage_hours", ["user_id", "hour"]);
}

async function createLogs(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await wholes(addId(dialect, createTable(db, dialect, "logs")), wholeType(dialect), [
    "created_at",
    "type",
    "user_id",
    "token_id",
    "channel",
    "quota",
    "write_off",
    "prompt_tokens",
    "completion_tokens",
    "use_time",
    "is_stream",
    "price_version",
  ])
    .$call(texts("request_id", "username", "token_name", "model_name", "group", "content"))
    .$call(texts("other", "client_ip", "usage", "usage_source", "losses"))
    .execute();
  // Indexes in the order in which lists show log rows: of all users, and of one user.
  await index(db, "logs", ["created_at", "id"]);
  await index(db, "logs", ["user_id", "created_at", "id"]);
  // An index of the few log rows that are not charged calls; without it a search for them would
  // read all charged ones.
  await db.schema
    .createIndex("logs_uncharged")
    .on("logs")
    .columns(["type", "created_at", "id"])
    .where(sql<boolean>`type <> 2`)
    .execute();
}
