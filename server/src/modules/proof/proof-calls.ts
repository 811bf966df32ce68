/**
 * Two checks of `proof.ts`. T7: a call that is logged as not charged is logged so once and has no
 * settlement. T9: for each possible reason, little quota is written off. Much written off is no
 * error in the tables, but an operator should find out why.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Flaw } from "./flaw.ts";

/**
 * T7 checks only log rows after this id. Older rows are from earlier versions, in which two nodes
 * could each log the end of the same call.
 */
const judgedAfter = sql`coalesce(
  (select cast(value as bigint) from meta where key = 'one_row_per_call_after'), 0)`;

/**
 * Selects the log rows of uncharged calls that T7 checks. Charged rows have one settlement each
 * (T3), so if a call has two rows, at least one of them is among these.
 */
const uncharged = sql`
  from logs where type <> 2 and type = 5 and request_id <> '' and id > ${judgedAfter}`;

const checks: readonly {
  readonly reason: string;
  readonly find: RawBuilder<{ row: string }>;
}[] = [
  {
    reason: "two rows say that the call was not charged",
    find: sql`
      select 'request_id=' || request_id as "row" ${uncharged}
      group by request_id having count(*) > 1 order by request_id limit 1`,
  },
  {
    reason: "the call was charged as well",
    find: sql`
      select 'id=' || id as "row" ${uncharged} and exists (
        select 1 from entries
        where cause in ('settle:' || logs.request_id, 'again:' || logs.request_id)
          and log_id > ${judgedAfter})
      order by id limit 1`,
  },
];

export async function findCallFlaw(db: Db): Promise<Flaw | null> {
  for (const { reason, find } of checks) {
    const { rows } = await find.execute(db);
    const [found] = rows;
    if (found !== undefined) return { check: "T7", table: "logs", row: found.row, reason };
  }
  return null;
}

/** How much may be written off, as a share of the charged quota in thousandths. */
const writeOffMaxPerMille = 1;

/** The reasons of write-offs: the type of the log row → the reason. */
const reasons: readonly (readonly [number, string])[] = [
  [2, "calls cost more than their users had"],
  [4, "answers were withheld, or tasks ended without a charge"],
  [5, "calls continued after their node was taken for dead"],
];

/**
 * Check T9: finds write-offs that an operator should look into, although all tables are correct.
 */
export async function findWarnings(db: Db, charged: number): Promise<string[]> {
  const rows = await db
    .selectFrom("logs")
    .select(["type", ({ fn }) => fn.sum<number>("write_off").as("amount")])
    .where("type", "in", [2, 4, 5])
    .groupBy("type")
    .execute();
  const amounts = new Map(rows.map(({ type, amount }) => [type, Number(amount)]));
  return reasons.flatMap(([type, reason]) => {
    const amount = amounts.get(type) ?? 0;
    if (amount * 1_000 <= charged * writeOffMaxPerMille) return [];
    return [`T9 ${amount} quota units are written off, ${charged} charged: ${reason}`];
  });
}
