/** The queries that measure the drift between balances and entries. */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/** The largest number of accounts that one statement compares, so that no statement runs long. */
export const driftPageSize = 5_000;

export type DriftPage = {
  /** The id after which the next page begins; null: this was the last page. */
  readonly next: number | null;
  /** The sum of all differences in quota units, each counted as positive. */
  readonly units: number;
};

type Found = { readonly last: number | null; readonly accounts: number; readonly units: number };

/** Measures the drift of one page of balances: of the users whose id is larger than `after`. */
export async function readBalanceDrift(db: Db, after: number): Promise<DriftPage> {
  const { rows } = await sql<Found>`
    select max(b.user_id) as last, count(*) as accounts,
      cast(coalesce(sum(
        abs(b.balance - coalesce(head.balance_after, 0))
        + abs(b.used - coalesce(head.used_after, 0))
        + abs(coalesce(head.balance_after - head.amount, 0) - coalesce(prior.balance_after, 0))
        + abs(coalesce(beyond.amount, 0))
      ), 0) as bigint) as units
    from (
      select user_id, balance, used, entry_count from balances
      where user_id > ${after} order by user_id limit ${sql.lit(driftPageSize)}
    ) as b
    left join entries as head on head.user_id = b.user_id and head.seq = b.entry_count
    left join entries as prior on prior.user_id = b.user_id and prior.seq = b.entry_count - 1
    left join entries as beyond on beyond.user_id = b.user_id and beyond.seq = b.entry_count + 1
  `.execute(db);
  return pageOf(rows[0]);
}

/**
 * Measures the drift of one page of token balances: used and remaining quota must add up to the
 * granted quota.
 */
export async function readTokenDrift(db: Db, after: number): Promise<DriftPage> {
  const { rows } = await sql<Found>`
    select max(token_id) as last, count(*) as accounts,
      cast(coalesce(sum(abs(remain + used - granted)), 0) as bigint) as units
    from (
      select token_id, remain, used, granted from token_balances
      where token_id > ${after} order by token_id limit ${sql.lit(driftPageSize)}
    ) as t
  `.execute(db);
  return pageOf(rows[0]);
}

function pageOf(found: Found | undefined): DriftPage {
  const { last = null, accounts = 0, units = 0 } = found ?? {};
  return { next: accounts < driftPageSize ? null : last, units };
}
