/**
 * T7: no call has two rows, one of which may say that it was free. T9: little is written off, by
 * each reason there is; more is nobody's fault in the tables, but somebody should look why.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Flaw } from "./proof.ts";

/** Calls before had as many rows as nodes that thought they knew how they ended. */
const judgedAfter = sql`coalesce(
  (select cast(value as bigint) from meta where key = 'one_row_per_call_after'), 0)`;

/** Rows that charge are settled once each (T3), so one of two must be a row that does not charge. */
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

/** Of what was charged, in thousandths. */
const writeOffMaxPerMille = 1;

/** Why something was written off, by the type of the row that says how much. */
const reasons: readonly (readonly [number, string])[] = [
  [2, "calls cost more than their users had"],
  [5, "calls went on after their node was thought dead"],
];

/** What an operator should look into although every table is right. */
export async function findWarnings(db: Db, charged: number): Promise<string[]> {
  const rows = await db
    .selectFrom("logs")
    .select(["type", ({ fn }) => fn.sum<number>("write_off").as("amount")])
    .where("type", "in", [2, 5])
    .groupBy("type")
    .execute();
  const amounts = new Map(rows.map(({ type, amount }) => [type, Number(amount)]));
  return reasons.flatMap(([type, reason]) => {
    const amount = amounts.get(type) ?? 0;
    if (amount * 1_000 <= charged * writeOffMaxPerMille) return [];
    return [`T9 ${amount} quota units are written off, ${charged} charged: ${reason}`];
  });
}
