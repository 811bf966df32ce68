/**
 * The checks T3, T4 and T17 (see `proof.ts`) of re-rates: each of their entries belongs to a
 * settlement and to a re-rate, its amount follows from the stored counts and the version of the
 * re-rate, the rows say what was added to them, and all of them add up to what the preview said.
 */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { EntryTable } from "#db/tables/ledger.ts";
import { type LogRow, readLogWatermark } from "#modules/logs/logs.ts";
import { chargeAgain, netOf, resolvePrices } from "#modules/pricing/pricing.ts";
import { firstRow, type Flaw } from "./flaw.ts";
import { isSameBefore, oneByOne, reratedId, settles } from "./proof-reversals.ts";

/** The number of entries that are read at a time. */
const pageSize = 1_000;

/** The id of the re-rate in the cause of `given`; 0: a charge that was charged again is given back. */
const rerateId = sql`cast(substr(given.cause, ${sql.lit("rerate:".length + 1)}, 8) as bigint)`;

/** The first condition is that of an index. */
const isRerate = sql`given.kind not in ('settle', 'reversal', 'refund') and given.kind = 'rerate'`;

const checks = [
  {
    check: "T3",
    table: "entries",
    reason: "charges again what no settlement before it charged, or is of no re-rate",
    find: sql`
      select 'user_id=' || user_id || ' seq=' || seq as "row" from entries as given
      where ${isRerate} and not exists (
        select 1 from entries as settled
        where ${settles(reratedId)} and settled.kind = 'settle' and ${isSameBefore}
          and given.cause = 'rerate:' || substr(given.cause, 8, 8) || ':' || ${reratedId}
          and case ${rerateId} when 0 then exists (
              select 1 from entries as back
              where back.cause in ('refund:' || ${reratedId}, 'reversal:' || ${reratedId}))
            else exists (select 1 from rerates where rerates.id = ${rerateId}) end
        ${oneByOne})
      order by user_id, seq limit 1`,
  },
  {
    check: "T3",
    table: "logs",
    reason: "does not say what re-rates have added to its charge",
    find: sql`
      select 'id=' || log_id as "row" from (
        select log_id from (
          select id as log_id, rerated as changed from logs where rerated <> 0
          union all
          select log_id, amount - debt from entries as given where ${isRerate}
        ) as both_sides
        group by log_id having sum(changed) <> 0
      ) as unlike
      where exists (select 1 from logs where logs.id = unlike.log_id ${oneByOne})
      order by log_id limit 1`,
  },
  {
    check: "T17",
    table: "rerates",
    reason: "its sums are not those of its entries",
    find: sql`
      select 'id=' || rerates.id as "row" from rerates
      left join (
        select ${rerateId} as id, count(*) as changed, sum(debt) as owed,
          sum(case when debt > amount then debt - amount else 0 end) as raised,
          sum(case when debt < amount then amount - debt else 0 end) as lowered
        from entries as given where ${isRerate} group by ${rerateId}
      ) as entry on entry.id = rerates.id
      where rerates.changed <> coalesce(entry.changed, 0)
        or rerates.raised <> coalesce(entry.raised, 0)
        or rerates.lowered <> coalesce(entry.lowered, 0)
      order by rerates.id limit 1`,
  },
  {
    check: "T17",
    table: "rerate_users",
    reason: "its sums are not those of the entries of its user",
    find: sql`
      select 'rerate_id=' || rerate_id || ' user_id=' || user_id as "row"
      from (
        select rerate_id, user_id, changed, raised - lowered as amount from rerate_users
        union all
        select ${rerateId}, user_id, -1, amount - debt from entries as given
        where ${isRerate} and ${rerateId} > 0
      ) as both_sides
      group by rerate_id, user_id having sum(changed) <> 0 or sum(amount) <> 0
      order by rerate_id, user_id limit 1`,
  },
  {
    check: "T17",
    table: "rerates",
    reason: "undoes what was not there, or what was taken back already",
    find: sql`
      select 'id=' || id as "row" from rerates as undo
      where undoes <> 0 and not exists (
        select 1 from rerates as done
        where done.id = undo.undoes and done.undoes = 0 and done.id < undo.id
      ) or undoes <> 0 and exists (
        select 1 from rerates as other where other.undoes = undo.undoes and other.id < undo.id)
      order by id limit 1`,
  },
] as const;

/** @param prices the price lists by version. */
export async function findRerateFlaw(
  db: Db,
  prices: ReadonlyMap<number, PriceList>,
): Promise<Flaw | null> {
  for (const { check, table, reason, find } of checks) {
    const row = await firstRow(db, find);
    if (row !== null) return { check, table, row, reason };
  }
  return (await findSumFlaw(db)) ?? (await walkRerated(db, prices));
}

/** Finds a re-rate that has ended with other sums than its preview said. */
async function findSumFlaw(db: Db): Promise<Flaw | null> {
  const watermark = await readLogWatermark(db);
  // Calls whose rows a cleaning has removed in between are in the preview alone.
  const row = await firstRow(
    db,
    sql`
      select 'id=' || id as "row" from rerates
      where state = 'done' and (done = calls or ${watermark} = 0)
        and (done <> calls or raised - lowered + skipped + gone <> expected)
      order by id limit 1`,
  );
  const reason = "what it changed, skipped and found given back is not what its preview said";
  return row === null ? null : { check: "T17", table: "rerates", row, reason };
}

type Rerate = { readonly id: number; readonly undoes: number; readonly version: number };
type Entry = Pick<EntryTable, "amount" | "cause" | "debt" | "log_id" | "seq" | "user_id">;

/** Charges the calls of all re-rates again, in the order of their entries. */
async function walkRerated(db: Db, lists: ReadonlyMap<number, PriceList>): Promise<Flaw | null> {
  const rows = await db.selectFrom("rerates").select(["id", "undoes", "version"]).execute();
  if (rows.length === 0) return null;
  const rerates = new Map<number, Rerate>(rows.map((row) => [row.id, row]));
  const prices = new Map([...lists].map(([id, list]) => [id, resolvePrices(list)]));
  let after = { userId: 0, seq: 0 };
  /** What the re-rates of the user's calls have added so far, and each of them. */
  let added = new Map<string, number>();
  for (;;) {
    const page = await pageRerated(db, after);
    const logs = await readLogs(db, page);
    for (const entry of page) {
      if (entry.user_id !== after.userId) added = new Map();
      after = { userId: entry.user_id, seq: entry.seq };
      const id = Number(entry.cause.slice("rerate:".length, "rerate:00000000".length));
      const change = entry.debt - entry.amount;
      const before = added.get(`${entry.log_id}`) ?? 0;
      const row = logs.get(entry.log_id);
      const rerate = rerates.get(id);
      added.set(`${entry.log_id}`, before + change);
      added.set(`${entry.log_id} ${id}`, change);
      if (row === undefined && rerate?.undoes === 0) continue;
      // What is given back with the charge, or taken back, is what was added before.
      const taken =
        rerate === undefined ? before : (added.get(`${entry.log_id} ${rerate.undoes}`) ?? 0);
      const due =
        row === undefined || rerate?.undoes !== 0
          ? 0 - taken
          : dueOf(row, { before, prices, version: rerate.version });
      if (due === change) continue;
      const name = `user_id=${entry.user_id} seq=${entry.seq}`;
      const reason = `the prices of its re-rate give ${due}`;
      return { check: "T4", table: "entries", row: name, reason };
    }
    if (page.length < pageSize) return null;
  }
}

/** Computes by how much a re-rate by a price version changes what a call is charged. */
function dueOf(
  row: LogRow,
  given: {
    readonly before: number;
    readonly prices: ReadonlyMap<number, ReturnType<typeof resolvePrices>>;
    readonly version: number;
  },
): number {
  const { before, prices, version } = given;
  const call = { ...row, refunded: 0, rerated: before };
  const then = prices.get(row.price_version)?.(row.model_name, row.group);
  const now = prices.get(version)?.(row.model_name, row.group);
  return chargeAgain(call, then, now).charged - netOf(call);
}

async function pageRerated(
  db: Db,
  { userId, seq }: { readonly userId: number; readonly seq: number },
): Promise<Entry[]> {
  return await db
    .selectFrom("entries as given")
    .select(["user_id", "seq", "cause", "amount", "debt", "log_id"])
    .where((eb) => eb(eb.refTuple("user_id", "seq"), ">", eb.tuple(userId, seq)))
    .where(sql<boolean>`${isRerate}`)
    .orderBy("user_id")
    .orderBy("seq")
    .limit(pageSize)
    .execute();
}

async function readLogs(db: Db, page: readonly Entry[]): Promise<ReadonlyMap<number, LogRow>> {
  const ids = page.map(({ log_id: id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("logs").selectAll().where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}
