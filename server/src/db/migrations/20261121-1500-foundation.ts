import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from "kysely";
import { addId, createTable, type Dialect, realType, wholeMax, wholeType } from "#db/dialect.ts";

type Required = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Required = (column) => column.notNull();
const primary: Required = (column) => column.notNull().primaryKey();
const unique: Required = (column) => column.notNull().unique();

/**
 * Creates the first tables. Every column of whole numbers has an upper limit, because JavaScript
 * reads a number beyond 2^53 − 1 as another number.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const table = (name: string) => createTable(db, dialect, name);
  const numbered = (name: string) => addId(dialect, table(name));

  await wholes(numbered("users"), whole, ["role", "status", "inviter_id", "create_time"])
    .addColumn("username", "text", unique)
    .$call(texts("password_hash", "display_name", "email", "github_id", "oidc_id", "wechat_id"))
    .$call(texts("telegram_id", "linux_do_id", "group", "setting"))
    .addColumn("aff_code", "text", unique)
    .addColumn("access_token_lookup", "text", (column) => column.unique())
    .addColumn("DeletedAt", "text")
    .execute();
  await index(db, "users", ["email"]);
  await wholes(table("sessions"), whole, ["user_id", "created_at", "seen_at", "expires_at"])
    .addColumn("id", "text", primary)
    .$call(texts("client_ip", "user_agent"))
    .execute();
  await index(db, "sessions", ["user_id"]);
  await wholes(numbered("tokens"), whole, [
    "user_id",
    "status",
    "created_time",
    "accessed_time",
    "unlimited_quota",
    "model_limits_enabled",
  ])
    .addColumn("expired_time", whole, (column) =>
      column.notNull().check(sql`expired_time between -1 and ${sql.lit(wholeMax)}`),
    )
    .addColumn("lookup", "text", unique)
    .$call(texts("name", "sealed", "hint", "model_limits", "allow_ips", "group"))
    .addColumn("DeletedAt", "text")
    .execute();
  await index(db, "tokens", ["user_id", "id"]);
  await createChannels(db, dialect);
  await createConfig(db, dialect);
  await wholes(numbered("audit_log"), whole, ["created_at", "actor_id"])
    .$call(texts("actor_name", "client_ip", "action", "target", "detail", "hash"))
    .execute();
}

async function createChannels(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(addId(dialect, createTable(db, dialect, "channels")), whole, [
    "type",
    "status",
    "weight",
    "auto_ban",
    "created_time",
    "test_time",
    "response_time",
    "balance_updated_time",
  ])
    .$call(texts("name", "base_url", "other", "models", "group", "model_mapping"))
    .$call(texts("status_code_mapping", "param_override", "setting", "other_info"))
    .$call(texts("openai_organization", "test_model"))
    .addColumn("tag", "text")
    .addColumn("priority", whole, (column) =>
      column.notNull().check(sql`priority between -1000000 and 1000000`),
    )
    .addColumn("balance", realType(dialect), required)
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "channel_keys")), whole, [
    "channel_id",
    "status",
    "created_time",
  ])
    .$call(texts("sealed", "fingerprint", "hint"))
    .execute();
  await index(db, "channel_keys", ["channel_id"]);
}

async function createConfig(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const table = (name: string) => createTable(db, dialect, name);
  await table("meta").addColumn("key", "text", primary).$call(texts("value")).execute();
  await table("options").addColumn("key", "text", primary).$call(texts("value")).execute();
  await wholes(addId(dialect, table("price_versions")), whole, [
    "starts_at",
    "created_by",
    "created_at",
  ])
    .$call(texts("content", "hash"))
    .execute();
  await wholes(table("config_clock"), whole, ["id", "version"])
    .addPrimaryKeyConstraint("config_clock_key", ["id"] as never[])
    .execute();
  await sql`insert into config_clock (id, version) values (1, 0)`.execute(db);
  await wholes(table("config_changes"), whole, ["version", "entity_id"])
    .addColumn("part", "text", required)
    .addPrimaryKeyConstraint("config_changes_key", ["version"] as never[])
    .execute();
  await wholes(table("nodes"), whole, ["started_at", "heartbeat_at"])
    .addColumn("id", "text", primary)
    .execute();
}

/** Adds columns of whole numbers from 0 to 2^53 − 1. */
export function wholes<Table extends string, Column extends string>(
  table: CreateTableBuilder<Table, Column>,
  whole: "integer" | "bigint",
  names: readonly string[],
): CreateTableBuilder<Table, Column> {
  let built = table;
  for (const name of names) {
    built = built.addColumn(name, whole, (column) =>
      column.notNull().check(sql`${sql.ref(name)} between 0 and ${sql.lit(wholeMax)}`),
    ) as typeof built; // Safe cast: the builder's type cannot list these names.
  }
  return built;
}

/** Adds columns of text that is never null. */
export function texts<Table extends string, Column extends string>(...names: readonly string[]) {
  return (table: CreateTableBuilder<Table, Column>): CreateTableBuilder<Table, Column> => {
    let built = table;
    for (const name of names) {
      // Safe cast: the builder's type cannot list these columns, because their names are data.
      built = built.addColumn(name, "text", required) as typeof built;
    }
    return built;
  };
}

/** Creates the index `<table>_<columns>`. */
export async function index(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await db.schema
    .createIndex(`${table}_${columns.join("_")}`)
    .on(table)
    .columns([...columns])
    .execute();
}
