import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { inOrder } from "#db/pipeline.ts";
import { type CallLogRow, markStale } from "#modules/logs/logs.ts";
import {
  addSums,
  type CounterRow,
  type HourRow,
  upsertCounters,
  upsertHours,
} from "./work/sum-tables.ts";

/** The length of the time span that one row of the hourly roll-up covers. */
const hourSeconds = 3_600;

/**
 * Adds charged calls to counters and roll-ups, in the transaction that inserts their log rows, and
 * subtracts calls whose charge is given back.
 */
export async function addToSums(
  tx: Db,
  rows: readonly CallLogRow[],
  reversed: readonly CallLogRow[],
  nowMs = Date.now(),
): Promise<void> {
  if (rows.length + reversed.length === 0) return;
  const hours = new Map<string, HourRow>();
  for (const row of rows) addToHour(hours, row, 1);
  for (const row of reversed) addToHour(hours, row, -1);
  const stale = staleHours(hours, nowMs);
  const counters = new Map<string, CounterRow>();
  for (const hour of hours.values()) {
    addToCounter(counters, "channel", hour.channel_id, hour);
    addToCounter(counters, "token", hour.token_id, hour);
    addToCounter(counters, "user", hour.user_id, hour);
  }
  if (reversed.length > 0) {
    await markStale(tx, stale);
    await addSums(tx, byKey(counters), byKey(hours));
    return;
  }
  await inOrder(tx, [
    async () => await markStale(tx, stale),
    async () => await upsertCounters(tx, byKey(counters)),
    async () => await upsertHours(tx, byKey(hours)),
  ]);
}

/** A charge that is given back: where it was added, and how much of it. */
type Refunded = {
  /** When the charge was made, in Unix seconds. */
  readonly created_at: number;
  readonly user_id: number;
  readonly token_id: number;
  readonly channel_id: number;
  readonly modelName: string;
  readonly group: string;
  readonly amount: number;
  /** Whether the cost of the call is known. */
  readonly isCosted: boolean;
  /** How much of it is taken back as well: all if the call has failed. */
  readonly cost: number;
};

/** Subtracts a refunded charge from its own hour and from the counters. The call still counts. */
export async function subtractRefund(tx: Db, given: Refunded, nowMs: number): Promise<void> {
  const { user_id, token_id, channel_id, group, amount } = given;
  const counts = { request_count: 0, prompt_tokens: 0, completion_tokens: 0 };
  const costs = {
    cost: 0 - given.cost,
    costed_quota: given.isCosted ? 0 - amount : 0,
    costed_count: 0,
  };
  const place = { user_id, token_id, channel_id, group, model_name: given.modelName };
  const hour = given.created_at - (given.created_at % hourSeconds);
  const row: HourRow = { hour, ...place, quota: 0 - amount, ...counts, ...costs };
  const counters = new Map<string, CounterRow>();
  addToCounter(counters, "channel", channel_id, row);
  addToCounter(counters, "token", token_id, row);
  addToCounter(counters, "user", user_id, row);
  await markStale(tx, staleHours(new Map([["", row]]), nowMs));
  await addSums(tx, byKey(counters), [row]);
}

/** What is added to the charge of a call; below 0: taken off. */
type Recharged = {
  readonly createdAt: number;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly modelName: string;
  readonly group: string;
  readonly isCosted: boolean;
  readonly amount: number;
};

/** Adds to charges in their own hours and in the counters. The number of calls stays. */
export async function addToCharges(
  tx: Db,
  charges: readonly Recharged[],
  nowMs: number,
): Promise<void> {
  if (charges.length === 0) return;
  const hours = new Map<string, HourRow>();
  const counters = new Map<string, CounterRow>();
  const counts = { request_count: 0, prompt_tokens: 0, completion_tokens: 0 };
  for (const { userId, tokenId, channelId, modelName, group, ...charge } of charges) {
    const hour = charge.createdAt - (charge.createdAt % hourSeconds);
    const place = { user_id: userId, token_id: tokenId, channel_id: channelId };
    const key = `${hour} ${userId} ${tokenId} ${channelId} ${group.length} ${group}${modelName}`;
    const costs = { cost: 0, costed_quota: charge.isCosted ? charge.amount : 0, costed_count: 0 };
    const row = { hour, ...place, model_name: modelName, group, quota: charge.amount };
    const change: HourRow = { ...row, ...counts, ...costs };
    const known = hours.get(key);
    if (known === undefined) hours.set(key, change);
    else {
      known.quota += change.quota;
      known.costed_quota += change.costed_quota;
    }
    addToCounter(counters, "channel", channelId, change);
    addToCounter(counters, "token", tokenId, change);
    addToCounter(counters, "user", userId, change);
  }
  await markStale(tx, staleHours(hours, nowMs));
  await addSums(tx, byKey(counters), byKey(hours));
}

/** Returns the hours that change although they are over. */
function staleHours(hours: ReadonlyMap<string, HourRow>, nowMs: number): number[] {
  const present = Math.floor(nowMs / 1_000 / hourSeconds) * hourSeconds;
  let stale: Set<number> | null = null;
  for (const { hour } of hours.values()) {
    if (hour < present) (stale ??= new Set()).add(hour);
  }
  return stale === null ? [] : [...stale].toSorted((a, b) => a - b);
}

/**
 * Adds a call to the row of its hour in the roll-up.
 * @param sign 1 adds the call, −1 subtracts it.
 */
function addToHour(hours: Map<string, HourRow>, row: CallLogRow, sign: -1 | 1): void {
  const hour = row.created_at - (row.created_at % hourSeconds);
  const { user_id, token_id, channel, group, model_name } = row;
  // The length of the group's name makes the key unique, whatever characters the name contains.
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
      quota: sign * row.quota,
      request_count: sign,
      prompt_tokens: sign * row.prompt_tokens,
      completion_tokens: sign * row.completion_tokens,
      cost: row.cost === null ? 0 : sign * row.cost,
      costed_quota: row.cost === null ? 0 : sign * row.quota,
      costed_count: row.cost === null ? 0 : sign,
    });
    return;
  }
  sum.quota += sign * row.quota;
  sum.request_count += sign;
  sum.prompt_tokens += sign * row.prompt_tokens;
  sum.completion_tokens += sign * row.completion_tokens;
  if (row.cost === null) return;
  sum.cost += sign * row.cost;
  sum.costed_quota += sign * row.quota;
  sum.costed_count += sign;
}

function addToCounter(
  counters: Map<string, CounterRow>,
  kind: CounterRow["kind"],
  id: number,
  hour: HourRow,
): void {
  if (id <= 0) return;
  const { quota, request_count, prompt_tokens, completion_tokens } = hour;
  const { cost, costed_quota, costed_count } = hour;
  const key = `${kind} ${id}`;
  const sum = counters.get(key);
  if (sum === undefined) {
    const counts = { used_quota: quota, request_count, prompt_tokens, completion_tokens };
    counters.set(key, { kind, id, ...counts, cost, costed_quota, costed_count });
    return;
  }
  sum.used_quota += quota;
  sum.request_count += request_count;
  sum.prompt_tokens += prompt_tokens;
  sum.completion_tokens += completion_tokens;
  sum.cost += cost;
  sum.costed_quota += costed_quota;
  sum.costed_count += costed_count;
}

/**
 * Sorts the sums by key: all transactions write these rows in the same order, so that two of them
 * cannot deadlock.
 */
function byKey<Sum>(sums: ReadonlyMap<string, Sum>): Sum[] {
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** Counts what a row was used for before it was imported; a later run adds what came since. */
export async function openCounters(
  tx: Db,
  used: Pick<CounterRow, "id" | "kind" | "request_count" | "used_quota">,
): Promise<void> {
  if (used.used_quota === 0 && used.request_count === 0) return;
  const none = {
    prompt_tokens: 0,
    completion_tokens: 0,
    cost: 0,
    costed_quota: 0,
    costed_count: 0,
  };
  await upsertCounters(tx, [{ ...used, ...none }]);
  await tx
    .insertInto("opening_counters")
    .values(used)
    .onConflict((conflict) =>
      conflict.columns(["kind", "id"]).doUpdateSet({
        used_quota: sql<number>`opening_counters.used_quota + excluded.used_quota`,
        request_count: sql<number>`opening_counters.request_count + excluded.request_count`,
      }),
    )
    .execute();
}
