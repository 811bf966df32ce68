import { type Insertable, sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { CounterTable, UsageHourTable } from "#db/tables/ledger.ts";
import type { CallLogRow } from "#modules/logs/logs.ts";

/** Seconds of a roll-up's bucket. */
export const hourSeconds = 3_600;

/** Adds charged calls to counters and roll-ups, in the transaction that inserts their rows. */
export async function addToSums(tx: Db, rows: readonly CallLogRow[]): Promise<void> {
  if (rows.length === 0) return;
  const counters = new Map<string, Insertable<CounterTable>>();
  const hours = new Map<string, Insertable<UsageHourTable>>();
  for (const row of rows) {
    for (const [kind, id] of [
      ["channel", row.channel],
      ["token", row.token_id],
      ["user", row.user_id],
    ] as const) {
      if (id > 0) add(counters, `${kind} ${id}`, { kind, id, used_quota: row.quota }, row);
    }
    const key = {
      hour: row.created_at - (row.created_at % hourSeconds),
      user_id: row.user_id,
      token_id: row.token_id,
      channel_id: row.channel,
      model_name: row.model_name,
      group: row.group,
    };
    add(hours, JSON.stringify(Object.values(key)), { ...key, quota: row.quota }, row);
  }
  await upsertCounters(tx, inOrder(counters));
  await upsertHours(tx, inOrder(hours));
}

type Counts = { request_count: number; prompt_tokens: number; completion_tokens: number };

function add<Sum extends Counts & { quota?: number; used_quota?: number }>(
  sums: Map<string, Sum>,
  key: string,
  first: Omit<Sum, keyof Counts>,
  row: CallLogRow,
): void {
  const sum = sums.get(key);
  if (sum === undefined) {
    // `first` has every field that the counts below lack.
    const made = { ...first, ...countsOf(row) } as Sum;
    sums.set(key, made);
    return;
  }
  if (sum.quota !== undefined) sum.quota += row.quota;
  if (sum.used_quota !== undefined) sum.used_quota += row.quota;
  sum.request_count += 1;
  sum.prompt_tokens += row.prompt_tokens;
  sum.completion_tokens += row.completion_tokens;
}

function countsOf(row: CallLogRow): Counts {
  return {
    request_count: 1,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
  };
}

/** Always the same order, so that two nodes never wait for one another's rows crosswise. */
function inOrder<Sum>(sums: ReadonlyMap<string, Sum>): Sum[] {
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

async function upsertCounters(tx: Db, rows: Insertable<CounterTable>[]): Promise<void> {
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

async function upsertHours(tx: Db, rows: Insertable<UsageHourTable>[]): Promise<void> {
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
