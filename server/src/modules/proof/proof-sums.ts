/**
 * The checks T1, T5, T6 and T8 (see `proof.ts`): stored sums must equal the sums of the rows that
 * they add up.
 */

import { hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import type { Flaw } from "./flaw.ts";
import { refundedId, reratedId, reversedId, settles } from "./proof-reversals.ts";

type SumCheck = {
  readonly check: "T1" | "T5" | "T6" | "T8";
  readonly table: string;
  readonly reason: string;
  /**
   * Selects one column, `row`: the name of the first wrong row. Selects nothing if all rows are
   * correct.
   */
  readonly find: RawBuilder<{ row: string }>;
};

export async function findSumFlaw(db: Db): Promise<Flaw | null> {
  for (const { check, table, reason, find } of [
    ...hourChecks,
    ...counterChecks,
    ...tokenChecks,
    ...heldChecks(db),
  ]) {
    const { rows } = await find.execute(db);
    const [found] = rows;
    if (found !== undefined) return { check, table, row: found.row, reason };
  }
  return null;
}

const watermark = sql`coalesce(
  (select cast(value as bigint) from meta where key = 'log_watermark'), 0)`;

/** The time up to which a cleaning may have removed log rows; −1: none were removed. */
const cleanedUntil = sql`coalesce(
  (select max(created_at) from entries
    where kind = 'settle' and log_id > 0 and log_id <= ${watermark}), -1)`;

const hourChecks: readonly SumCheck[] = [
  {
    check: "T5",
    table: "usage_hours",
    reason: "quota or request_count is not the sum of the settlements that stand",
    find: sql`
      select 'hour=' || hour || ' user_id=' || user_id || ' token_id=' || token_id ||
        ' channel_id=' || channel_id as "row"
      from (
        select hour, user_id, token_id, channel_id, quota, request_count from usage_hours
        union all
        select created_at - created_at % ${sql.lit(hourSeconds)}, user_id, token_id, channel_id,
          amount, -1
        from entries where kind = 'settle'
        union all
        select settled.created_at - settled.created_at % ${sql.lit(hourSeconds)},
          settled.user_id, settled.token_id, settled.channel_id, given.amount, 1
        from entries as given
        inner join entries as settled
          on ${settles(reversedId)}
        where given.kind = 'reversal'
        union all
        select settled.created_at - settled.created_at % ${sql.lit(hourSeconds)},
          settled.user_id, settled.token_id, settled.channel_id, given.amount, 0
        from entries as given
        inner join entries as settled
          on ${settles(refundedId)}
        where given.kind = 'refund'
        union all
        select settled.created_at - settled.created_at % ${sql.lit(hourSeconds)},
          settled.user_id, settled.token_id, settled.channel_id, given.amount - given.debt, 0
        from entries as given
        inner join entries as settled
          on ${settles(reratedId)}
        where given.kind = 'rerate'
      ) as both_sides
      group by hour, user_id, token_id, channel_id
      having sum(quota) <> 0 or sum(request_count) <> 0
      order by hour, user_id limit 1`,
  },
  {
    check: "T5",
    table: "usage_hours",
    reason: "is not the sum of its log rows",
    find: sql`
      select 'hour=' || hour || ' user_id=' || user_id || ' model_name=' || model_name as "row"
      from (
        select hour, user_id, token_id, channel_id, model_name, "group", quota, request_count,
          prompt_tokens, completion_tokens, cost, costed_quota, costed_count
        from usage_hours where hour > ${cleanedUntil}
        union all
        select created_at - created_at % ${sql.lit(hourSeconds)}, user_id, token_id, channel,
          model_name, "group", refunded - quota - rerated, -1, -prompt_tokens, -completion_tokens,
          case when refunded > 0 and exists (
            select 1 from entries where cause = 'refund:' || logs.request_id
          ) then 0 else -coalesce(cost, 0) end,
          case when cost is null then 0 else refunded - quota - rerated end,
          case when cost is null then 0 else -1 end
        from logs
        where type = 2 and reversed = 0
          and created_at - created_at % ${sql.lit(hourSeconds)} > ${cleanedUntil}
      ) as both_sides
      group by hour, user_id, token_id, channel_id, model_name, "group"
      having sum(quota) <> 0 or sum(request_count) <> 0 or sum(prompt_tokens) <> 0
        or sum(completion_tokens) <> 0 or sum(cost) <> 0 or sum(costed_quota) <> 0
        or sum(costed_count) <> 0
      order by hour, user_id limit 1`,
  },
];

const counterChecks: readonly SumCheck[] = [
  {
    check: "T5",
    table: "counters",
    reason: "is not the sum of its roll-ups and of what was used before its import",
    find: sql`
      select 'kind=' || kind || ' id=' || id as "row"
      from (
        select kind, id, used_quota, request_count, prompt_tokens, completion_tokens,
          cost, costed_quota, costed_count
        from counters
        union all
        select kind, id, -used_quota, -request_count, 0, 0, 0, 0, 0 from opening_counters
        union all
        select 'user', user_id, -quota, -request_count, -prompt_tokens, -completion_tokens,
          -cost, -costed_quota, -costed_count
        from usage_hours
        union all
        select 'token', token_id, -quota, -request_count, -prompt_tokens, -completion_tokens,
          -cost, -costed_quota, -costed_count
        from usage_hours where token_id > 0
        union all
        select 'channel', channel_id, -quota, -request_count, -prompt_tokens, -completion_tokens,
          -cost, -costed_quota, -costed_count
        from usage_hours where channel_id > 0
      ) as both_sides
      group by kind, id
      having sum(used_quota) <> 0 or sum(request_count) <> 0 or sum(prompt_tokens) <> 0
        or sum(completion_tokens) <> 0 or sum(cost) <> 0 or sum(costed_quota) <> 0
        or sum(costed_count) <> 0
      order by kind, id limit 1`,
  },
];

const tokenChecks: readonly SumCheck[] = [
  {
    check: "T6",
    table: "token_balances",
    reason: "remain + used is not granted",
    find: sql`
      select 'token_id=' || token_id as "row" from token_balances
      where remain + used <> granted order by token_id limit 1`,
  },
  {
    check: "T6",
    table: "token_balances",
    reason: "used is not the sum of its settlements",
    find: sql`
      select 'token_id=' || token_id as "row"
      from (
        select token_id, used from token_balances
        union all
        select token_id, amount - debt from entries
        where kind in ('settle', 'reversal', 'refund', 'rerate') and token_id > 0
      ) as both_sides
      group by token_id having sum(used) <> 0 order by token_id limit 1`,
  },
  {
    check: "T6",
    table: "token_balances",
    reason: "a token and its balance do not match up",
    find: sql`
      select 'token_id=' || token_id as "row"
      from (
        select token_id, 1 as one from token_balances
        union all
        select id, -1 from tokens
      ) as both_sides
      group by token_id having sum(one) <> 0 order by token_id limit 1`,
  },
  {
    check: "T6",
    table: "token_budgets",
    reason: "spent is not the sum of the settlements that count in its window",
    find: sql`
      select 'token_id=' || token_id || ' kind=' || kind || ' starts_at=' || starts_at as "row"
      from token_budgets as budget
      where spent <> coalesce((
        select -sum(amount) from entries
        where entries.token_id = budget.token_id and budget_at > 0
          and budget_at >= budget.starts_at and budget_at < budget.ends_at), 0)
      order by token_id, starts_at limit 1`,
  },
  {
    check: "T6",
    table: "token_budgets",
    reason: "its window is not a day, a week or a month",
    find: sql`
      select 'token_id=' || token_id || ' kind=' || kind || ' starts_at=' || starts_at as "row"
      from token_budgets
      where starts_at % ${sql.lit(hourSeconds)} <> 0 or ends_at % ${sql.lit(hourSeconds)} <> 0
        or not case kind
          when 'day' then ends_at - starts_at between 82800 and 90000
          when 'week' then ends_at - starts_at between 601200 and 608400
          else ends_at - starts_at between 2415600 and 2682000 end
      order by token_id, starts_at limit 1`,
  },
  {
    check: "T1",
    table: "balances",
    reason: "a user and its balance do not match up",
    find: sql`
      select 'user_id=' || user_id as "row"
      from (
        select user_id, 1 as one from balances
        union all
        select id, -1 from users
      ) as both_sides
      group by user_id having sum(one) <> 0 order by user_id limit 1`,
  },
];

/**
 * Makes the checks of `held`, which is the sum of the open reservations on PostgreSQL and 0 on
 * SQLite.
 */
function heldChecks(db: Db): readonly SumCheck[] {
  const grants = dialectOf(db) === "postgres" ? sql`1 = 1` : sql`1 = 0`;
  return [
    {
      check: "T8",
      table: "balances",
      reason: "held is not what open reservations hold",
      find: sql`
        select 'user_id=' || user_id as "row"
        from (
          select user_id, held from balances
          union all
          select user_id, -amount from reservations where ${grants}
        ) as both_sides
        group by user_id having sum(held) <> 0 order by user_id limit 1`,
    },
    {
      check: "T8",
      table: "token_balances",
      reason: "held is not what open reservations hold",
      find: sql`
        select 'token_id=' || token_id as "row"
        from (
          select token_id, held from token_balances
          union all
          select token_id, -token_amount from reservations where ${grants} and token_amount > 0
        ) as both_sides
        group by token_id having sum(held) <> 0 order by token_id limit 1`,
    },
    {
      check: "T8",
      table: "token_budgets",
      reason: "held is not what open reservations hold",
      find: sql`
        select 'token_id=' || token_id || ' kind=' || kind || ' starts_at=' || starts_at as "row"
        from (
          select token_id, kind, starts_at, held from token_budgets
          union all
          select token_id, 'day', budget_day, -amount from reservations
          where ${grants} and budget_day > 0
          union all
          select token_id, 'week', budget_week, -amount from reservations
          where ${grants} and budget_week > 0
          union all
          select token_id, 'month', budget_month, -amount from reservations
          where ${grants} and budget_month > 0
        ) as both_sides
        group by token_id, kind, starts_at having sum(held) <> 0
        order by token_id, starts_at limit 1`,
    },
  ];
}
