/** Sums what provider caches had of the input of calls, and what moves of conversations cost. */

import {
  promptCacheDaysMax,
  promptCacheModelsMax,
  type PromptCachePart,
  type DashboardPromptCaches,
  shareMax,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { daySeconds } from "@tollgate/contract/fields/time-zone.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { areUtcDays, bucketsOf, placeOf } from "./buckets.ts";
import { type Kind, namesOf, sumByModel } from "./charges.repo.ts";
import type { CallFilter, Span } from "./dashboard.repo.ts";

type CachesAsked = {
  readonly filter: CallFilter;
  readonly span: Span;
  /** The zone in which days begin. */
  readonly zone: string;
  /** Whether users and channels are shown, too. */
  readonly wide: boolean;
};

type Sums = Pick<PromptCachePart, "cached_tokens" | "id" | "moved_quota" | "name"> & {
  readonly kind: "all" | "models" | Kind;
};

export async function readPromptCaches(db: Db, asked: CachesAsked): Promise<DashboardPromptCaches> {
  const rows = await sumCaches(db, asked);
  const all = rows.find(({ kind }) => kind === "all");
  const named = async (kind: Kind): Promise<PromptCachePart[]> => {
    const parts = partsOf(rows, kind);
    const names = await namesOf(
      db,
      kind,
      parts.map(({ id }) => id),
    );
    return parts.map((part) => ({ ...part, name: names.get(part.id) ?? "" }));
  };
  const models = partsOf(rows, "models");
  return {
    days: await readDays(db, asked, models),
    cached_tokens: Number(all?.cached_tokens ?? 0),
    moved_quota: Number(all?.moved_quota ?? 0),
    models,
    tokens: await named("tokens"),
    users: asked.wide ? await named("users") : null,
    channels: asked.wide ? await named("channels") : null,
  };
}

/** Reads what the models that had most from caches had of their input, by day. */
async function readDays(
  db: Db,
  { filter, span, zone }: CachesAsked,
  models: readonly PromptCachePart[],
): Promise<DashboardPromptCaches["days"]> {
  const names = models
    .filter(({ cached_tokens }) => cached_tokens > 0)
    .toSorted((a, b) => b.cached_tokens - a.cached_tokens)
    .slice(0, promptCacheModelsMax)
    .map(({ name }) => name);
  if (names.length === 0 || span.end - span.start > promptCacheDaysMax * daySeconds) return [];
  const starts = bucketsOf(span, { zone, granularity: "day" });
  const days = starts.map((start) => ({
    start,
    models: names.map((name) => ({ name, cached_tokens: 0, prompt_tokens: 0 })),
  }));
  const sumsOf = (hour: number, name: string) =>
    days[placeOf(starts, hour)]?.models.find((model) => model.name === name);
  const inputs = await sumByModel(db, { filter, span, byDay: areUtcDays(starts) });
  for (const { hour, model_name, prompt_tokens } of inputs) {
    const sums = sumsOf(hour, model_name);
    if (sums !== undefined) sums.prompt_tokens += Number(prompt_tokens);
  }
  const cached = await db
    .selectFrom("prompt_cache_hours")
    .select(["hour", "model_name"])
    .select(({ fn }) => fn.sum<number>("cached_tokens").as("cached"))
    .where(sql<SqlBool>`${sql.join(conditionsOf(filter, span), sql` and `)}`)
    .where("model_name", "in", names)
    .groupBy(["hour", "model_name"])
    .execute();
  for (const { hour, model_name, cached: tokens } of cached) {
    const sums = sumsOf(hour, model_name);
    if (sums !== undefined) sums.cached_tokens += Number(tokens);
  }
  return days;
}

function partsOf(rows: readonly Sums[], of: Sums["kind"]): PromptCachePart[] {
  return rows
    .filter(({ kind }) => kind === of)
    .map(({ id, name, cached_tokens, moved_quota }) => ({ id, name, cached_tokens, moved_quota }))
    .toSorted((a, b) => b.moved_quota - a.moved_quota || b.cached_tokens - a.cached_tokens);
}

/** Reads the hours of the span once, and sums them by each kind. */
async function sumCaches(db: Db, { filter, span, wide }: CachesAsked): Promise<readonly Sums[]> {
  const where = conditionsOf(filter, span);
  const of = (kind: Sums["kind"], column: string, isName = false) => sql`
    select * from (
      select ${sql.lit(kind)} as kind, ${isName ? sql`0` : sql.ref(column)} as id,
        ${isName ? sql.ref(column) : sql`''`} as name,
        sum(cached_tokens) as cached_tokens, sum(moved_quota) as moved_quota
      from parts group by ${sql.ref(column)}
      order by sum(moved_quota) desc, sum(cached_tokens) desc limit ${sql.lit(shareMax)}
    ) as ${sql.ref(`of_${kind}`)}`;
  const kinds = [
    of("models", "model_name", true),
    of("tokens", "token_id"),
    ...(wide ? [of("users", "user_id"), of("channels", "channel_id")] : []),
  ];
  const { rows } = await sql<Sums>`
    with parts as materialized (
      select user_id, token_id, channel_id, model_name,
        sum(cached_tokens) as cached_tokens, sum(moved_quota) as moved_quota
      from prompt_cache_hours where ${sql.join(where, sql` and `)}
      group by user_id, token_id, channel_id, model_name
    )
    select 'all' as kind, 0 as id, '' as name, coalesce(sum(cached_tokens), 0) as cached_tokens,
      coalesce(sum(moved_quota), 0) as moved_quota from parts
    union all ${sql.join(kinds, sql` union all `)}
  `.execute(db);
  return rows.map((row) => ({
    ...row,
    cached_tokens: Number(row.cached_tokens),
    moved_quota: Number(row.moved_quota),
  }));
}

function conditionsOf(
  { userId, username, tokenId, modelName, group, channel }: CallFilter,
  span: Span,
) {
  const where = [sql`hour >= ${span.start} and hour < ${span.end}`];
  if (userId !== null) where.push(sql`user_id = ${userId}`);
  if (username !== "") {
    where.push(sql`user_id = (select users.id from users where users.username = ${username})`);
  }
  if (tokenId !== 0) where.push(sql`token_id = ${tokenId}`);
  if (modelName !== "") where.push(sql`model_name = ${modelName}`);
  if (group !== "") where.push(sql`"group" = ${group}`);
  if (channel !== 0) where.push(sql`channel_id = ${channel}`);
  return where;
}
