import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { insertText, preparedOf } from "#db/prepared.ts";
import type { CounterTable, UsageHourTable } from "#db/tables/ledger.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";

/** Seconds of a roll-up's bucket. */
export const hourSeconds = 3_600;

/** Adds charged calls to counters and roll-ups, in the transaction that inserts their rows. */
export async function addToSums(tx: Db, rows: readonly CallLogRow[]): Promise<void> {
  if (rows.length === 0) return;
  const hours = new Map<string, UsageHourTable>();
  for (const row of rows) addToHour(hours, row);
  const counters = new Map<string, CounterTable>();
  for (const hour of hours.values()) {
    addToCounter(counters, "channel", hour.channel_id, hour);
    addToCounter(counters, "token", hour.token_id, hour);
    addToCounter(counters, "user", hour.user_id, hour);
  }
  await upsertCounters(tx, inOrder(counters));
  await upsertHours(tx, inOrder(hours));
}

function addToHour(hours: Map<string, UsageHourTable>, row: CallLogRow): void {
  const hour = row.created_at - (row.created_at % hourSeconds);
  const { user_id, token_id, channel, group, model_name } = row;
  // The length makes the key unique, whatever characters the group's name contains.
  const key = `${hour} ${user_id} ${token_id} ${channel} ${group.length} ${group}${model_name}`;
  const sum = hours.get(key);
  if (sum === undefined) {
    hours.set(key, {
      hour,
      user_id,
      token_id,
      channel_id: channel,
      model_name,
      group,
      quota: row.quota,
      request_count: 1,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
    });
    return;
  }
  sum.quota += row.quota;
  sum.request_count += 1;
  sum.prompt_tokens += row.prompt_tokens;
  sum.completion_tokens += row.completion_tokens;
}

function addToCounter(
  counters: Map<string, CounterTable>,
  kind: CounterTable["kind"],
  id: number,
  { quota, request_count, prompt_tokens, completion_tokens }: UsageHourTable,
): void {
  if (id <= 0) return;
  const key = `${kind} ${id}`;
  const sum = counters.get(key);
  if (sum === undefined) {
    const counts = { used_quota: quota, request_count, prompt_tokens, completion_tokens };
    counters.set(key, { kind, id, ...counts });
    return;
  }
  sum.used_quota += quota;
  sum.request_count += request_count;
  sum.prompt_tokens += prompt_tokens;
  sum.completion_tokens += completion_tokens;
}

/** The order is always the same, so that two nodes cannot deadlock on these rows. */
function inOrder<Sum>(sums: ReadonlyMap<string, Sum>): Sum[] {
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

const counts = ["request_count", "prompt_tokens", "completion_tokens"];
const counterSums = ["used_quota", ...counts];
const hourSums = ["quota", ...counts];
const hourKey = ["hour", "user_id", "token_id", "channel_id", "model_name", "group"];

const counterText = upsertText("counters", ["kind", "id"], counterSums);
const hourText = upsertText("usage_hours", hourKey, hourSums);

/** Inserts a row, or adds its sums to the one of the same key. */
function upsertText(table: string, key: readonly string[], sums: readonly string[]): string {
  const conflict = key.map((name) => `"${name}"`).join(", ");
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ");
  const insert = insertText(table, [...key, ...sums]);
  return `${insert} on conflict (${conflict}) do update set ${added}`;
}

async function upsertCounters(tx: Db, rows: CounterTable[]): Promise<void> {
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) {
      const { kind, id, used_quota, request_count, prompt_tokens, completion_tokens } = row;
      const sums = [used_quota, request_count, prompt_tokens, completion_tokens];
      prepared.run(counterText, [kind, id, ...sums]);
    }
    return;
  }
  await tx
    .insertInto("counters")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["kind", "id"]).doUpdateSet({
        used_quota: sql<number>`counters.used_quota + excluded.used_quota`,
        request_count: sql<number>`counters.request_count + excluded.request_count`,
        prompt_tokens: sql<number>`counters.prompt_tokens + excluded.prompt_tokens`,
        completion_tokens: sql<number>`counters.completion_tokens + excluded.completion_tokens`,
      }),
    )
    .execute();
}

async function upsertHours(tx: Db, rows: UsageHourTable[]): Promise<void> {
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const row of rows) {
      const { hour, user_id, token_id, channel_id, model_name, group } = row;
      const { quota, request_count, prompt_tokens, completion_tokens } = row;
      const key = [hour, user_id, token_id, channel_id, model_name, group];
      prepared.run(hourText, [...key, quota, request_count, prompt_tokens, completion_tokens]);
    }
    return;
  }
  await tx
    .insertInto("usage_hours")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["hour", "user_id", "token_id", "channel_id", "model_name", "group"])
        .doUpdateSet({
          quota: sql<number>`usage_hours.quota + excluded.quota`,
          request_count: sql<number>`usage_hours.request_count + excluded.request_count`,
          prompt_tokens: sql<number>`usage_hours.prompt_tokens + excluded.prompt_tokens`,
          completion_tokens: sql<number>`usage_hours.completion_tokens + excluded.completion_tokens`,
        }),
    )
    .execute();
}
