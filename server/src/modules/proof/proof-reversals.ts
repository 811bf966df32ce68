/**
 * The part of T3 (see `proof.ts`) about settlements that were given back: each has one reversal
 * entry, or one refund, which names the settled call in its cause, and a row of the user's log that
 * tells of it.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { readLogWatermark } from "#modules/logs/logs.ts";
import type { Flaw } from "./flaw.ts";

/** The kinds of entries that give a charge back. */
type GivenBack = "refund" | "reversal";

/** The position of the call's request id in the cause of an entry of the kind. */
function idFrom(kind: GivenBack | "again") {
  return sql.lit(`${kind}:`.length + 1);
}

/**
 * The request id in the cause of `given`, an entry of kind `refund`: `refund:<id>` gives the whole
 * charge back, `mend:<id>` what of it was wrong.
 */
export const refundedId = sql`case when given.cause like 'mend:%'
  then substr(given.cause, ${sql.lit("mend:".length + 1)})
  else substr(given.cause, ${idFrom("refund")}) end`;

/** The request id in the cause of `given`, an entry of kind `reversal`. */
export const reversedId = sql`substr(given.cause, ${idFrom("reversal")})`;

/** The request id in the cause of `given`, an entry of kind `rerate`: it follows eight digits. */
export const reratedId = sql`substr(given.cause, ${sql.lit("rerate:00000000:".length + 1)})`;

/**
 * The condition that `settled` is the entry that charged the call with this id: the settlement, or
 * the one that was written again.
 */
export function settles(id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`settled.cause in ('settle:' || ${id}, 'again:' || ${id})`;
}

/**
 * The condition that `settled` is of the same user, token, channel and row as `given`, and before it.
 * The signs keep the database from looking for it among all entries of the user, which may be
 * millions, in place of by its cause.
 */
export const isSameBefore = sql<boolean>`+settled.user_id = given.user_id
  and +settled.token_id = given.token_id and settled.channel_id = given.channel_id
  and settled.log_id = given.log_id and +settled.seq < given.seq`;

/** Ends a subquery that is asked for each row, which PostgreSQL must not make a join of all rows. */
export const oneByOne = sql`limit 1 offset 0`;

/** Finds refunds that do not give back what one settlement before them charged, or a part of it. */
const refundsSettlement = {
  table: "entries",
  reason: "refunds what no settlement before it charged, or not its amount",
  find: sql<{ row: string }>`
    select 'user_id=' || user_id || ' seq=' || seq as "row" from entries as given
    where kind = 'refund' and not exists (
      select 1 from entries as settled
      where ${settles(refundedId)}
        and settled.kind = 'settle' and ${isSameBefore} and given.amount > 0 and case
          when given.cause like 'mend:%' then given.amount <= -settled.amount
          else given.cause = 'refund:' || ${refundedId}
            and given.amount = -settled.amount end
      ${oneByOne})
    order by user_id, seq limit 1`,
};

/** Returns the check that each entry of the kind gives back what one settlement before it charged. */
function answersSettlement(kind: "reversal", reason: string) {
  return {
    table: "entries",
    reason,
    find: sql<{ row: string }>`
      select 'user_id=' || user_id || ' seq=' || seq as "row" from entries as given
      where kind = ${sql.lit(kind)} and not exists (
        select 1 from entries as settled
        where ${settles(reversedId)}
          and given.cause like ${sql.lit(`${kind}:%`)}
          and settled.kind = 'settle' and settled.amount = -given.amount and ${isSameBefore}
        ${oneByOne})
      order by user_id, seq limit 1`,
  };
}

/** Returns the check that a row whose column says that it was given back has an entry of the kind. */
function hasEntry(kind: GivenBack, column: "refunded" | "reversed", reason: string) {
  const prefixes = kind === "refund" ? ["refund:", "mend:"] : ["reversal:"];
  const causes = prefixes.map((prefix) => sql`${sql.lit(prefix)} || logs.request_id`);
  return {
    table: "logs",
    reason,
    find: sql<{ row: string }>`
      select 'id=' || id as "row" from logs
      where ${sql.ref(column)} <> 0 and not exists (
        select 1 from entries
        where cause in (${sql.join(causes)}) and log_id = logs.id)
      order by id limit 1`,
  };
}

const checks = [
  {
    table: "entries",
    reason: "settles a call again that has its settlement",
    find: sql<{ row: string }>`
      select 'user_id=' || user_id || ' seq=' || seq as "row" from entries as again
      where again.cause like 'again:%' and (again.kind <> 'settle' or exists (
        select 1 from entries as settled
        where settled.cause = 'settle:' || substr(again.cause, ${idFrom("again")})))
      order by user_id, seq limit 1`,
  },
  answersSettlement("reversal", "gives back what no settlement before it charged"),
  {
    table: "logs",
    reason: "was given back, and does not say so",
    find: sql<{ row: string }>`
      select 'id=' || logs.id as "row"
      from entries inner join logs on logs.id = entries.log_id
      where entries.kind = 'reversal' and logs.reversed <> 1 order by logs.id limit 1`,
  },
  hasEntry("reversal", "reversed", "says that it was given back, and no entry does"),
  refundsSettlement,
  {
    table: "entries",
    reason: "refunds what was refunded already",
    find: sql<{ row: string }>`
      select 'user_id=' || user_id || ' seq=' || seq as "row" from entries as given
      where kind = 'refund' and given.cause like 'mend:%' and exists (
        select 1 from entries as other where other.cause = 'refund:' || ${refundedId})
      order by user_id, seq limit 1`,
  },
  {
    table: "entries",
    reason: "refunds what was given back already",
    find: sql<{ row: string }>`
      select 'user_id=' || user_id || ' seq=' || seq as "row" from entries as given
      where kind = 'refund' and exists (
        select 1 from entries as reversal
        where reversal.cause = 'reversal:' || ${refundedId})
      order by user_id, seq limit 1`,
  },
  {
    table: "logs",
    reason: "does not say what was refunded of it",
    find: sql<{ row: string }>`
      select 'id=' || logs.id as "row"
      from entries inner join logs on logs.id = entries.log_id
      where entries.kind = 'refund' and logs.refunded <> entries.amount
      order by logs.id limit 1`,
  },
  hasEntry("refund", "refunded", "says that it was refunded, and no entry does"),
] as const;

/**
 * Returns the check that each charge that was given back has a row of its amount in the user's log.
 * It was inserted after the row of the charge, so a cleaning that has not reached that one has not
 * removed it.
 */
function isTold(watermark: number) {
  return {
    table: "entries",
    reason: "gives a charge back, and the user's log does not tell of it",
    // The first condition of the rows is that of an index.
    find: sql<{ row: string }>`
      select 'user_id=' || user_id || ' seq=' || min(seq) as "row" from entries as given
      where kind in ('refund', 'reversal') and log_id > ${watermark}
      group by user_id, created_at, amount
      having count(*) > (
        select count(*) from logs
        where logs.type <> 2 and logs.type = 4 and logs.created_at = given.created_at
          and logs.user_id = given.user_id and logs.quota = given.amount)
      order by user_id, min(seq) limit 1`,
  };
}

export async function findReversalFlaw(db: Db): Promise<Flaw | null> {
  for (const { table, reason, find } of [...checks, isTold(await readLogWatermark(db))]) {
    const { rows } = await find.execute(db);
    const [found] = rows;
    if (found !== undefined) return { check: "T3", table, row: found.row, reason };
  }
  return null;
}
