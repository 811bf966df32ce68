import { type Kysely, sql } from "kysely";
import { failedEnding, interruptedCode } from "@tollgate/contract/logs/endings.ts";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

/** How many failed calls are read at once. */
const pageSize = 2_000;

/** Adds how calls have ended, for the rows that are there as well, and sums of it by hour. */
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
  await noteCharged(db);
  await noteFailed(db);
  await sumEndings(db);
  await db.schema
    .createIndex("logs_ended")
    .on("logs")
    .columns(["ending", "created_at", "id"])
    .where(sql<boolean>`ending <> ''`)
    .execute();
}

async function noteCharged(db: Kysely<unknown>): Promise<void> {
  await sql`
    update logs set ending = case
      when content like '%上游中断' then 'broken'
      when content like '%客户端断开' then 'left'
      when content like '%额度不足，输出中止' then 'cut'
      when content like '%预算不足，输出中止' then 'cut'
      when content like '%额度上限，输出中止' then 'cut'
      when content like '%消费上限，输出中止' then 'cut'
      else 'stopped' end
    where type = 2 and (content like '%上游中断' or content like '%客户端断开'
      or content like '%输出中止' or content like '%，已由 % 停止%')`.execute(db);
}

async function noteFailed(db: Kysely<unknown>): Promise<void> {
  for (let after = 0; ;) {
    const { rows } = await sql<{ id: number; other: string }>`
      select id, other from logs where type = 5 and type <> 2 and id > ${after}
      order by id limit ${sql.lit(pageSize)}`.execute(db);
    const ids = new Map<string, number[]>();
    for (const { id, other } of rows) {
      const ending = failedEnding(failureOf(other));
      ids.set(ending, [...(ids.get(ending) ?? []), Number(id)]);
    }
    for (const [ending, of] of ids) {
      await sql`update logs set ending = ${ending} where id in (${sql.join(of)})`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = Number(last.id);
  }
}

async function sumEndings(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into ending_hours (hour, user_id, token_id, channel_id, model_name, "group", ending,
      calls, first_at, last_at, last_id)
    select created_at - created_at % 3600, user_id, token_id, channel, model_name, "group", ending,
      count(*), min(created_at), max(created_at), max(id)
    from logs where ending <> '' and reversed = 0
    group by 1, 2, 3, 4, 5, 6, 7`.execute(db);
}

function failureOf(other: string): { readonly status: number; readonly code: string } {
  if (other === "") return { status: 0, code: interruptedCode };
  const { status_code: status, error_code: code, error_type: kind } = parseObject(other);
  return {
    status: typeof status === "number" ? status : 0,
    code: typeof code === "string" && code !== "" ? code : typeof kind === "string" ? kind : "",
  };
}

type Facts = { readonly error_code?: unknown; readonly error_type?: unknown };

function parseObject(text: string): Facts & { readonly status_code?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
