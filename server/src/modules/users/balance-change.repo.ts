/** Reads what has changed a balance since a time, and forecasts how long it lasts. */

import {
  type BalanceChange,
  type BalancePart,
  balancePartsMax,
  dearestCallsMax,
  forecastDays,
  forecastDaysMin,
} from "@tollgate/contract/endpoints/balance-changes.ts";
import { entryKind } from "@tollgate/contract/endpoints/entries.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lastBefore } from "./entries.repo.ts";

type ChangeAsked = {
  readonly userId: number;
  /** Unix seconds, the start of an hour. */
  readonly start: number;
  readonly now: number;
  /** Seconds by which the reader's clock is ahead of UTC. */
  readonly ahead: number;
};

const daySeconds = 86_400;
const yearDays = 366;

/** The kinds of entries that are not of money but of calls, besides those that `entries_money` lacks. */
const ofCalls: ReadonlySet<string> = new Set(["rerate", "task_charge"]);

export async function readBalanceChange(db: Db, asked: ChangeAsked): Promise<BalanceChange> {
  const { userId, start, now } = asked;
  const stored = await db
    .selectFrom("balances")
    .select(["entry_count", "balance"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const [total, balance] = [stored?.entry_count ?? 0, stored?.balance ?? 0];
  const first = await lastBefore(db, userId, { end: start, from: 0, to: total });
  const entries = await sumMoney(db, { userId, after: first.seq, until: total });
  const money = entries.filter(({ kind }) => !ofCalls.has(kind));
  const calls = balance - first.balance_after - money.reduce((sum, { amount }) => sum + amount, 0);
  const models = await sumCalls(db, asked, "model_name");
  const charged = models.reduce((sum, { quota }) => sum + quota, 0);
  return {
    start,
    end: now,
    before: first.balance_after,
    now: balance,
    money,
    calls,
    models: largest(models),
    tokens: largest(await sumCalls(db, asked, "token_id")),
    later: 0 - calls - charged,
    dearest: await findDearest(db, asked),
    forecast: await readForecast(db, asked, balance),
  };
}

type Stretch = { readonly userId: number; readonly after: number; readonly until: number };

/** Sums the entries that are not of calls, which the index `entries_money` has, by kind. */
async function sumMoney(
  db: Db,
  { userId, after, until }: Stretch,
): Promise<BalanceChange["money"]> {
  const rows = await db
    .selectFrom("entries")
    .select((eb) => ["kind", eb.fn.sum<number>("amount").as("amount")])
    .where("user_id", "=", userId)
    .where("seq", ">", after)
    .where("seq", "<=", until)
    .where(sql<boolean>`kind not in ('settle', 'reversal', 'refund')`)
    .groupBy("kind")
    .orderBy("kind")
    .execute();
  return rows.flatMap(({ kind, amount }) =>
    Number(amount) === 0 ? [] : [{ kind: entryKind.parse(kind), amount: Number(amount) }],
  );
}

async function sumCalls(
  db: Db,
  { userId, start }: ChangeAsked,
  by: "model_name" | "token_id",
): Promise<BalancePart[]> {
  const rows = await db
    .selectFrom("usage_hours")
    .select([sql<number | string>`${sql.ref(by)}`.as("key")])
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .where("user_id", "=", userId)
    .where("hour", ">=", start)
    .groupBy(by)
    .execute();
  const parts = rows.filter(({ quota }) => quota !== 0);
  if (by === "model_name") {
    return parts.map(({ key, quota }) => ({ id: 0, name: String(key), quota }));
  }
  const ids = parts.map(({ key }) => Number(key));
  const named =
    ids.length === 0
      ? []
      : await db.selectFrom("tokens").select(["id", "name"]).where("id", "in", ids).execute();
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return parts.map(({ key, quota }) => {
    return { id: Number(key), name: names.get(Number(key)) ?? "", quota };
  });
}

/** Keeps the largest parts, and adds up all others. */
function largest(parts: readonly BalancePart[]): BalancePart[] {
  const sorted = parts.toSorted((a, b) => b.quota - a.quota || a.id - b.id);
  if (sorted.length <= balancePartsMax) return sorted;
  const rest = sorted.slice(balancePartsMax - 1);
  const quota = rest.reduce((sum, part) => sum + part.quota, 0);
  return [...sorted.slice(0, balancePartsMax - 1), { id: 0, name: null, quota }];
}

/** The number of newest calls among which the most expensive ones are searched. */
const comparedMax = 100_000;

async function findDearest(
  db: Db,
  { userId, start }: ChangeAsked,
): Promise<BalanceChange["dearest"]> {
  const newest = db
    .selectFrom("logs")
    .select(["id", "request_id", "created_at", "token_name", "model_name"])
    .select(["reversed", "refunded"])
    .select(sql<number>`quota + rerated`.as("quota"))
    .where("user_id", "=", userId)
    .where("type", "=", 2)
    .where("created_at", ">=", start)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(comparedMax);
  return await db
    .selectFrom(newest.as("newest"))
    .select(["id", "request_id", "created_at", "token_name", "model_name", "quota"])
    .where("reversed", "=", 0)
    .where("refunded", "=", 0)
    .where("quota", ">", 0)
    .orderBy("quota", "desc")
    .orderBy("id", "desc")
    .limit(dearestCallsMax)
    .execute();
}

/** Forecasts the balance: each day costs what the same weekday of the last seven days has cost. */
async function readForecast(
  db: Db,
  { userId, now, ahead }: ChangeAsked,
  balance: number,
): Promise<BalanceChange["forecast"]> {
  const today = now - ((now + ahead) % daySeconds);
  const first = today - forecastDays * daySeconds;
  const rows = await db
    .selectFrom("usage_hours")
    .select("hour")
    .select(sql<number>`coalesce(sum(quota), 0)`.as("quota"))
    .where("user_id", "=", userId)
    .where("hour", ">=", first)
    .where("hour", "<", today)
    .groupBy("hour")
    .execute();
  const days = Array.from({ length: forecastDays }, () => 0);
  for (const { hour, quota } of rows) {
    const day = Math.floor((hour - first) / daySeconds);
    days[day] = (days[day] ?? 0) + quota;
  }
  if (days.filter((quota) => quota > 0).length < forecastDaysMin) return null;
  const week = days.reduce((sum, quota) => sum + quota, 0);
  return { week, empty_at: emptyAt({ balance, days, today, now }) };
}

type Spending = {
  readonly balance: number;
  /** What the last days have cost, oldest first; the first has the weekday of today. */
  readonly days: readonly number[];
  readonly today: number;
  readonly now: number;
};

function emptyAt({ balance, days, today, now }: Spending): number | null {
  if (balance <= 0) return now;
  let left = balance;
  for (let day = 0; day < yearDays; day += 1) {
    const from = Math.max(now, today + day * daySeconds);
    const length = today + (day + 1) * daySeconds - from;
    // Of today only the rest is still to come.
    const cost = ((days[day % days.length] ?? 0) * length) / daySeconds;
    if (cost >= left) return from + Math.floor((length * left) / cost);
    left -= cost;
  }
  return null;
}
