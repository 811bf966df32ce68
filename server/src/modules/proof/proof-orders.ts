/**
 * The check T10 (see `proof.ts`): what was paid or redeemed is what was credited. Each paid order has
 * one entry, which stores the hash of the order and its payment; an order that is not paid has none.
 * Each redeemed code has one entry of its quota.
 */

import { redemptionStatus } from "@tollgate/contract/endpoints/redemptions.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { EntryTable } from "#db/tables/ledger.ts";
import { orderHash, type OrderRow, paidHash, topUpCause } from "#modules/payments/payments.ts";
import { firstRow, type Flaw } from "./flaw.ts";

/** The number of orders that are read at a time. */
const pageSize = 2_000;

type Entry = Pick<EntryTable, "amount" | "cause" | "created_at" | "detail" | "kind" | "user_id">;

export async function findOrderFlaw(db: Db): Promise<Flaw | null> {
  for (let after = 0; ;) {
    const orders = await db
      .selectFrom("orders")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(pageSize)
      .execute();
    const entries = await entriesOf(db, orders);
    for (const order of orders) {
      const reason = judgeOrder(order, entries.get(topUpCause(order.number)));
      const row = `id=${order.id} number=${order.number}`;
      if (reason !== null) return { check: "T10", table: "orders", row, reason };
    }
    after = orders.at(-1)?.id ?? after;
    if (orders.length < pageSize) break;
  }
  return (await findLooseTopUp(db)) ?? (await findUntoldOrder(db));
}

/** Finds a paid order without the message that paid it, which every paid order keeps. */
async function findUntoldOrder(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'id=' || id || ' number=' || number as "row" from orders
      where paid_at > 0 and not exists (
        select 1 from order_events
        where order_id = orders.id and verdict = 'credited')
      order by id limit 1`,
  );
  if (row === null) return null;
  return { check: "T10", table: "orders", row, reason: "is paid, and no message says so" };
}

async function entriesOf(db: Db, orders: readonly OrderRow[]): Promise<ReadonlyMap<string, Entry>> {
  if (orders.length === 0) return new Map();
  const rows = await db
    .selectFrom("entries")
    .select(["amount", "cause", "created_at", "detail", "kind", "user_id"])
    .where(
      "cause",
      "in",
      orders.map(({ number }) => topUpCause(number)),
    )
    .execute();
  return new Map(rows.map((row) => [row.cause, row]));
}

function judgeOrder(order: OrderRow, entry: Entry | undefined): string | null {
  if (orderHash(order) !== order.hash) return "hash";
  if (order.paid_at === 0) {
    if (entry !== undefined) return "is not paid, and is credited";
    return order.external_id === "" && order.late === 0 ? null : "is not paid, and has a payment";
  }
  if (entry === undefined) return "is paid, and not credited";
  if (entry.kind !== "topup" || entry.user_id !== order.user_id || entry.amount !== order.quota) {
    return "is not what was credited";
  }
  const isSame = entry.detail === paidHash(order) && entry.created_at === order.paid_at;
  return isSame ? null : "is not what its entry covers";
}

/** Finds the entry of a top-up without an order. */
async function findLooseTopUp(db: Db): Promise<Flaw | null> {
  const row = await db
    .selectFrom("entries")
    .leftJoin("orders", (join) =>
      join.on("entries.cause", "=", sql<string>`'topup:' || orders.number`),
    )
    .select(["entries.user_id", "entries.seq"])
    .where("entries.kind", "=", "topup")
    .where("orders.id", "is", null)
    .orderBy("entries.user_id")
    .executeTakeFirst();
  if (row === undefined) return null;
  const name = `user_id=${row.user_id} seq=${row.seq}`;
  return { check: "T10", table: "entries", row: name, reason: "a top-up without an order" };
}

/**
 * Finds a refund that is not what its entries took from the balance and made a debt, or that gives
 * back more than was paid.
 */
export async function findRefundFlaw(db: Db): Promise<Flaw | null> {
  const found = await firstRow(
    db,
    sql`
      select 'cause=' || cause as "row"
      from (
        select 'payment_refund:' || refund.id as cause, user_id, -refund.quota as amount, 1 as one
        from order_refunds as refund inner join orders on orders.id = refund.order_id
        where refund.quota > 0
        union all
        select 'payment_restored:' || refund.id, user_id, refund.quota, 1
        from order_refunds as refund inner join orders on orders.id = refund.order_id
        where refund.quota > 0 and state = 'refused'
        union all
        select cause, user_id, amount - debt, -1 from entries
        where kind in ('payment_refund', 'payment_restored')
      ) as both_sides
      group by cause, user_id, amount having sum(one) <> 0 order by cause limit 1`,
  );
  if (found !== null) {
    const reason = "a refund and its entries do not match up";
    return { check: "T10", table: "order_refunds", row: found, reason };
  }
  const over = await firstRow(
    db,
    sql`
      select 'order_id=' || order_id as "row"
      from order_refunds as refund inner join orders on orders.id = refund.order_id
      where state <> 'refused'
      group by order_id, orders.money, orders.quota
      having sum(refund.money) > orders.money or sum(refund.quota) > orders.quota
      order by order_id limit 1`,
  );
  if (over === null) return null;
  return { check: "T10", table: "order_refunds", row: over, reason: "more than was paid" };
}

/** Finds a redeemed code and an entry that do not match up. */
export async function findRedemptionFlaw(db: Db): Promise<Flaw | null> {
  const found = await firstRow(
    db,
    sql`
    select 'cause=' || cause as "row"
    from (
      select 'redeem:' || id as cause, used_user_id as user_id, quota as amount, 1 as one
      from redemptions where status = ${sql.lit(redemptionStatus.enum.used)}
      union all
      select cause, user_id, amount, -1 from entries where kind = 'redeem'
    ) as both_sides
    group by cause, user_id, amount having sum(one) <> 0 order by cause limit 1`,
  );
  if (found === null) return null;
  const reason = "a redeemed code and its entry do not match up";
  return { check: "T10", table: "redemptions", row: found, reason };
}
