/**
 * Sums by hour what calls had from the caches of providers, and what they cost more because their
 * conversations had moved.
 */

import { cachedTokensOf } from "@tollgate/contract/logs/cached-tokens.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { insertText, preparedOf } from "#db/prepared.ts";
import type { PromptCacheHourTable } from "#db/tables/ledger.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";

const hourSeconds = 3_600;

const keyColumns = [
  "hour",
  "user_id",
  "token_id",
  "channel_id",
  "model_name",
  "group",
] as const satisfies readonly (keyof PromptCacheHourTable)[];

/**
 * Adds charged calls, in the transaction that inserts their log rows, and subtracts those whose charge
 * is given back.
 */
export async function addToPromptCaches(
  tx: Db,
  rows: readonly CallLogRow[],
  reversed: readonly CallLogRow[],
): Promise<void> {
  const added = sumsOf(rows);
  if (added.length > 0) await upsert(tx, added);
  for (const sums of sumsOf(reversed)) await subtract(tx, sums);
}

/**
 * Returns the sums of those calls that have any, by key: all transactions write them in the same
 * order, so that two of them cannot deadlock.
 */
function sumsOf(rows: readonly CallLogRow[]): PromptCacheHourTable[] {
  const hours = new Map<string, PromptCacheHourTable>();
  for (const row of rows) {
    const { moved_quota } = row;
    const cached_tokens = cachedTokensOf(row.usage);
    if (cached_tokens + moved_quota === 0) continue;
    const { channel: channel_id, group, model_name, token_id, user_id } = row;
    const hour = row.created_at - (row.created_at % hourSeconds);
    const key = `${hour} ${user_id} ${token_id} ${channel_id} ${group.length} ${group}${model_name}`;
    const sums = hours.get(key);
    if (sums === undefined) {
      const place = { hour, user_id, token_id, channel_id, model_name, group };
      hours.set(key, { ...place, cached_tokens, moved_quota });
      continue;
    }
    sums.cached_tokens += cached_tokens;
    sums.moved_quota += moved_quota;
  }
  return [...hours].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
}

const upsertText = `${insertText("prompt_cache_hours", [...keyColumns, "cached_tokens", "moved_quota"])}
  on conflict (${keyColumns.map((name) => `"${name}"`).join(", ")}) do update set
    cached_tokens = prompt_cache_hours.cached_tokens + excluded.cached_tokens,
    moved_quota = prompt_cache_hours.moved_quota + excluded.moved_quota`;

async function upsert(tx: Db, rows: readonly PromptCacheHourTable[]): Promise<void> {
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) {
      const key = keyColumns.map((name) => row[name]);
      prepared.run(upsertText, [...key, row.cached_tokens, row.moved_quota]);
    }
    return;
  }
  await tx
    .insertInto("prompt_cache_hours")
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns([...keyColumns]).doUpdateSet({
        cached_tokens: sql<number>`prompt_cache_hours.cached_tokens + excluded.cached_tokens`,
        moved_quota: sql<number>`prompt_cache_hours.moved_quota + excluded.moved_quota`,
      }),
    )
    .execute();
}

/** A call of before these sums were kept was never added, so nothing falls below 0. */
async function subtract(tx: Db, row: PromptCacheHourTable): Promise<void> {
  const { cached_tokens, moved_quota } = row;
  await tx
    .updateTable("prompt_cache_hours")
    .set({
      cached_tokens: sql<number>`case when cached_tokens > ${cached_tokens}
        then cached_tokens - ${cached_tokens} else 0 end`,
      moved_quota: sql<number>`case when moved_quota > ${moved_quota}
        then moved_quota - ${moved_quota} else 0 end`,
    })
    .where("hour", "=", row.hour)
    .where("user_id", "=", row.user_id)
    .where("token_id", "=", row.token_id)
    .where("channel_id", "=", row.channel_id)
    .where("model_name", "=", row.model_name)
    .where("group", "=", row.group)
    .execute();
}
