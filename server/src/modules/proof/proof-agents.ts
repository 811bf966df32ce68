/**
 * The check T11 (see `proof.ts`), second part: each dividend, each withdrawal and each rebate follows
 * from what it was computed from, and has its entries, which store the hash of its row.
 */

import { withdrawalMoney } from "@tollgate/contract/endpoints/agents.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { EarningEntryTable } from "#db/tables/ledger.ts";
import {
  type DividendRow,
  dividendCause,
  dividendHash,
  endCause,
  endHash,
  requestHash,
  shareOf,
  withdrawalCause,
  type WithdrawalRow,
} from "#modules/agents/agents.ts";
import { firstRow, type Flaw } from "./flaw.ts";

/** The number of rows that are read at a time. */
const pageSize = 1_000;

type Entry = Pick<
  EarningEntryTable,
  "account" | "amount" | "created_at" | "detail" | "kind" | "requested" | "user_id"
>;

export async function findAgentFlaw(db: Db): Promise<Flaw | null> {
  return (
    (await walkDividends(db)) ??
    (await findCountFlaw(db)) ??
    (await walkWithdrawals(db)) ??
    (await findLooseEntry(db)) ??
    (await walkRebates(db))
  );
}

async function entriesOf(db: Db, causes: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
  if (causes.length === 0) return new Map();
  const rows = await db
    .selectFrom("earning_entries")
    .select(["account", "amount", "cause", "created_at", "detail", "kind", "requested", "user_id"])
    .where("cause", "in", causes)
    .execute();
  return new Map(rows.map((row) => [row.cause, row]));
}

/** Walks the dividends of each invitee in the order of days. */
async function walkDividends(db: Db): Promise<Flaw | null> {
  let last = { invitee: 0, day: -1, counted: 0 };
  for (;;) {
    const rows = await db
      .selectFrom("dividends")
      .selectAll()
      .where((eb) => eb(eb.refTuple("invitee_id", "day"), ">", eb.tuple(last.invitee, last.day)))
      .orderBy("invitee_id")
      .orderBy("day")
      .limit(pageSize)
      .execute();
    const entries = await entriesOf(db, rows.map(dividendCause));
    for (const row of rows) {
      const counted = row.invitee_id === last.invitee ? last.counted : 0;
      const reason = judgeDividend(row, counted, entries.get(dividendCause(row)));
      const name = `day=${row.day} invitee_id=${row.invitee_id}`;
      if (reason !== null) return { check: "T11", table: "dividends", row: name, reason };
      last = { invitee: row.invitee_id, day: row.day, counted: counted + row.base };
    }
    if (rows.length < pageSize) return null;
  }
}

function judgeDividend(row: DividendRow, counted: number, entry?: Entry): string | null {
  if (dividendHash(row) !== row.hash) return "hash";
  if (row.base !== Math.min(row.spent, row.paid) - counted) {
    return "base is not what was spent and paid, less what was counted";
  }
  if (row.dividend !== shareOf(row.base, row.rate_bp)) return "dividend is not its share";
  if (row.dividend === 0) return entry === undefined ? null : "is 0, and is credited";
  const isSame =
    entry?.kind === "dividend" &&
    entry.account === "purse" &&
    entry.user_id === row.agent_id &&
    entry.amount === row.dividend &&
    entry.requested === 0 &&
    entry.detail === dividendHash(row);
  return isSame ? null : "is not what was credited";
}

async function findCountFlaw(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'invitee_id=' || invitee_id as "row"
      from (
        select invitee_id, counted from agent_invitees
        union all
        select invitee_id, -base from dividends
      ) as both_sides
      group by invitee_id having sum(counted) <> 0 order by invitee_id limit 1`,
  );
  if (row === null) return null;
  const reason = "counted is not the sum of its dividends";
  return { check: "T11", table: "agent_invitees", row, reason };
}

async function walkWithdrawals(db: Db): Promise<Flaw | null> {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom("withdrawals")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(pageSize)
      .execute();
    const causes = rows.flatMap(({ id }) => [withdrawalCause(id), endCause(id)]);
    const entries = await entriesOf(db, causes);
    for (const row of rows) {
      const { id } = row;
      const reason = judgeWithdrawal(row, {
        begun: entries.get(withdrawalCause(id)),
        ended: entries.get(endCause(id)),
      });
      if (reason !== null) return { check: "T11", table: "withdrawals", row: `id=${id}`, reason };
    }
    after = rows.at(-1)?.id ?? after;
    if (rows.length < pageSize) return null;
  }
}

function judgeWithdrawal(
  row: WithdrawalRow,
  { begun, ended }: { readonly begun: Entry | undefined; readonly ended: Entry | undefined },
): string | null {
  const asked = { kind: "withdrawal", amount: -row.quota, requested: row.quota };
  if (!isOf(row, begun, { ...asked, detail: requestHash(row) })) {
    return "is not what was taken from the purse";
  }
  // Only now the texts of the price are known to be those that were stored.
  if (row.money !== withdrawalMoney(row.quota, row.price, row.quota_per_unit)) {
    return "money is not what its quota is worth";
  }
  if (row.state === "requested") {
    const isOpen = row.note === "" && row.ended_at === 0 && row.ended_by === 0;
    return isOpen && ended === undefined ? null : "waits, and has an end";
  }
  const isPaid = row.state === "paid";
  const end = {
    kind: isPaid ? "withdrawal_paid" : "withdrawal_rejected",
    amount: isPaid ? 0 : row.quota,
    requested: -row.quota,
    detail: endHash(row),
  };
  return isOf(row, ended, end) ? null : "did not end as its entry says";
}

function isOf(
  { user_id }: WithdrawalRow,
  entry: Entry | undefined,
  wanted: Pick<Entry, "amount" | "detail" | "requested"> & { readonly kind: string },
): boolean {
  return (
    entry?.account === "purse" &&
    entry.user_id === user_id &&
    entry.kind === wanted.kind &&
    entry.amount === wanted.amount &&
    entry.requested === wanted.requested &&
    entry.detail === wanted.detail
  );
}

/** Finds an entry of a dividend or withdrawal that does not exist. */
async function findLooseEntry(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'user_id=' || user_id || ' account=' || account || ' seq=' || seq as "row"
      from earning_entries as entry
      where (kind = 'dividend' and not exists (
          select 1 from dividends
          where entry.cause = 'dividend:' || dividends.day || ':' || dividends.invitee_id))
        or (kind = 'withdrawal' and not exists (
          select 1 from withdrawals where entry.cause = 'withdrawal:' || withdrawals.id))
        or (kind in ('withdrawal_paid', 'withdrawal_rejected') and not exists (
          select 1 from withdrawals where entry.cause = 'withdrawal_end:' || withdrawals.id))
      order by user_id, account, seq limit 1`,
  );
  if (row === null) return null;
  const reason = "is of a dividend or withdrawal that does not exist";
  return { check: "T11", table: "earning_entries", row, reason };
}

/** Walks the rebates: each is the share of its order, for the inviter of the order's user. */
async function walkRebates(db: Db): Promise<Flaw | null> {
  for (let after = { user: 0, seq: 0 }; ;) {
    const rows = await db
      .selectFrom("earning_entries as entry")
      .leftJoin("orders", (join) =>
        join.on("entry.cause", "=", sql<string>`'rebate:' || orders.number`),
      )
      .leftJoin("users", "users.id", "orders.user_id")
      .select(["entry.user_id", "entry.seq", "entry.amount", "entry.detail"])
      .select(["orders.quota", "orders.paid_at", "users.inviter_id"])
      .where("entry.kind", "=", "rebate")
      .where((eb) =>
        eb(eb.refTuple("entry.user_id", "entry.seq"), ">", eb.tuple(after.user, after.seq)),
      )
      .orderBy("entry.user_id")
      .orderBy("entry.seq")
      .limit(pageSize)
      .execute();
    for (const { user_id, seq, amount, detail, quota, paid_at, inviter_id } of rows) {
      const isShare = quota !== null && amount === shareOf(quota, Number(detail));
      if (isShare && paid_at !== 0 && inviter_id === user_id) continue;
      const row = `user_id=${user_id} account=invitations seq=${seq}`;
      const reason = "is not the share of its order";
      return { check: "T11", table: "earning_entries", row, reason };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return await findTakenBack(db);
    after = { user: last.user_id, seq: last.seq };
  }
}

/** Finds an order of which more rebate was taken back than given. */
async function findTakenBack(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'number=' || orders.number as "row"
      from order_refunds as refund
      inner join orders on orders.id = refund.order_id
      inner join earning_entries as given on given.cause = 'rebate:' || orders.number
      inner join earning_entries as taken
        on taken.cause in ('rebate_back:' || refund.id, 'rebate_restored:' || refund.id)
      group by orders.number, given.amount
      having given.amount + sum(taken.amount) < 0 or sum(taken.amount) > 0
      order by orders.number limit 1`,
  );
  if (row === null) return null;
  return { check: "T11", table: "orders", row, reason: "more rebate was taken back than given" };
}
