/** A long log for tests and measurements of what is read of it, and what counts the rows read. */

import { type CompiledQuery, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { hour } from "./logs.ts";
import { makeTotals } from "./totals.ts";

type LongLog = {
  readonly rows: number;
  /** The hours over which they are spread, up to `now`. */
  readonly hours: number;
  readonly users: number;
  readonly models: number;
  readonly channels: number;
  /** Unix seconds. */
  readonly now: number;
};

/**
 * Adds a long log, and its sums, by statements of the database. Every twentieth call failed, every
 * 500th was left, every tenth has the tag `batch`, and every thousandth `rare`.
 */
export async function addLongLog(db: Db, size: LongLog): Promise<void> {
  const { rows, hours, now } = size;
  for (let first = 1; first <= rows; first += rowsAtOnce) {
    await addRows(db, size, { first, last: Math.min(rows, first + rowsAtOnce - 1) });
  }
  const span = Math.max(1, Math.floor((rowsAtOnce * hours) / rows)) * hour;
  const start = now - hours * hour;
  for (let from = start - (start % hour); from <= now; from += span) {
    await addSums(db, from, from + span);
  }
  await makeTotals(db, now);
  await sql`analyze`.execute(db);
}

/** How many rows one statement adds: the database ends those that run for long. */
const rowsAtOnce = 100_000;

type Numbers = { readonly first: number; readonly last: number };

async function addRows(db: Db, size: LongLog, { first, last }: Numbers): Promise<void> {
  const { rows, hours, users, models, channels, now } = size;
  const [start, step] = [sql.lit(now - hours * hour), sql.lit((hours * hour) / rows)];
  await sql`
    with recursive numbers (n) as (
      select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})
    insert into logs (request_id, created_at, type, user_id, username, token_id, token_name, channel,
      model_name, "group", quota, write_off, prompt_tokens, completion_tokens, use_time, is_stream,
      content, other, client_ip, usage, usage_source, price_version, losses, ending)
    select 'r' || n, ${start} + cast(n * ${step} as bigint),
      case when n % 20 = 0 then 5 else 2 end, 7 + n % ${sql.lit(users)}, 'u',
      11 + n % ${sql.lit(users)}, 't', 1 + n % ${sql.lit(channels)},
      'model-' || n % ${sql.lit(models)}, 'default', n % 100, 0, 1, 1, 1, 0, '', '', '', '', '', 1, '',
      case when n % 4000 = 0 then 'failed 502 rare' when n % 20 = 0 then 'failed 429 often'
        when n % 500 = 0 then 'left' else '' end
    from numbers`.execute(db);
}

async function addSums(db: Db, from: number, to: number): Promise<void> {
  const inTime = sql`created_at >= ${sql.lit(from)} and created_at < ${sql.lit(to)}`;
  await sql`
    insert into usage_hours (hour, user_id, token_id, channel_id, model_name, "group", quota,
      request_count, prompt_tokens, completion_tokens)
    select created_at - created_at % 3600, user_id, token_id, channel, model_name, "group",
      sum(quota), count(*), sum(prompt_tokens), sum(completion_tokens)
    from logs where type = 2 and ${inTime} group by 1, 2, 3, 4, 5, 6`.execute(db);
  await sql`
    insert into ending_hours (hour, user_id, token_id, channel_id, model_name, "group", ending,
      calls, first_at, last_at, last_id)
    select created_at - created_at % 3600, user_id, token_id, channel, model_name, "group", ending,
      count(*), min(created_at), max(created_at), max(id)
    from logs where ending <> '' and ${inTime} group by 1, 2, 3, 4, 5, 6, 7`.execute(db);
  await sql`
    insert into log_tags (log_id, tag, user_id, created_at)
    select id, case when id % 10 = 0 then 'batch' else 'rare' end, user_id, created_at
    from logs where (id % 10 = 0 or id % 1000 = 1) and ${inTime}`.execute(db);
}

/** Collects the statements that a function runs. */
export async function queriesOf(
  db: Db,
  run: (db: Db) => Promise<unknown>,
): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => await Promise.resolve(result),
  });
  const executor = watched.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = async (query) => {
    queries.push(query);
    return await execute(query);
  };
  await run(watched);
  return queries;
}

type Plan = {
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Node Type": string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
};

/** Counts the rows of the log that a statement has read on PostgreSQL. */
export async function rowsRead(db: Db, { sql: text, parameters }: CompiledQuery): Promise<number> {
  const asked = { sql: `explain (analyze, format json) ${text}`, parameters };
  // Safe cast: an explained statement is run as any other.
  const found = await db.executeQuery<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>({
    ...asked,
    query: { kind: "RawNode", sqlFragments: [], parameters: [] },
    queryId: { queryId: "explain" },
  } as unknown as CompiledQuery<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>);
  const count = (plan: Plan): number => {
    const below = (plan.Plans ?? []).reduce((sum, one) => sum + count(one), 0);
    if (plan["Relation Name"] !== "logs") return below;
    const rows = (plan["Actual Rows"] ?? 0) + (plan["Rows Removed by Filter"] ?? 0);
    return below + rows * (plan["Actual Loops"] ?? 1);
  };
  return (found.rows[0]?.["QUERY PLAN"] ?? []).reduce((sum, { Plan }) => sum + count(Plan), 0);
}

/** Returns the steps of a statement on SQLite that read the whole log. */
export async function scansOf(db: Db, query: CompiledQuery): Promise<string[]> {
  return (await stepsOf(db, query)).filter(
    (detail) => /^SCAN (logs|newest)\b/.test(detail) && !detail.includes("USING"),
  );
}

export async function stepsOf(db: Db, { sql: text, parameters }: CompiledQuery): Promise<string[]> {
  const { rows } = await db.executeQuery<{ detail: string }>({
    sql: `explain query plan ${text}`,
    parameters,
    query: { kind: "RawNode", sqlFragments: [], parameters: [] },
    queryId: { queryId: "explain" },
  } as unknown as CompiledQuery<{ detail: string }>);
  return rows.map(({ detail }) => detail);
}
