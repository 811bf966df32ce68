/**
 * T7: no call has two rows, of which one says that it was free. T9: little quota is written off,
 * for each possible reason; more is no error in the tables, but an operator should find out why.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Flaw } from "./proof.ts";

/**
 * The check starts after this id: earlier calls may have a row from each node that knew their end.
 */
const judgedAfter = sql`coalesce(
  (select cast(value as bigint) from meta where key = 'one_row_per_call_after'), 0)`;

/**
 * Charged rows have one settlement each (T3), so of two rows of a call at least one is not charged.
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
        where cause = 'settle:' || logs.request_id and log_id > ${judgedAfter})
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

/** Share of what was charged, in thousandths. */
const writeOffMaxPerMille = 1;

/** The reason of a write-off, by the type of its log row. */
const reasons: readonly (readonly [number, string])[] = [
  [2, "calls cost more than their users had"],
  [4, "the store did not commit in time, so that answers were withheld"],
  [5, "calls continued after their node was taken for dead"],
];

/** What an operator should look into although all tables are correct. */
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
