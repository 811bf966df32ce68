/** All queries on the tables of orders. */

import {
  type AnyOrder,
  type Order,
  type OrderDetails,
  type OrderState,
  refundKind,
  refundState,
} from "@tollgate/contract/orders.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { startsWith } from "#db/text-search.ts";
import { type OrderRow, refundCause } from "./payments.ts";

export function stateOf(row: OrderRow, nowMs: number): OrderState {
  if (row.paid_at !== 0) return "paid";
  return row.expires_at <= unixSeconds(nowMs) ? "expired" : "pending";
}

/** Returns an order in the form in which its user sees it. */
export function showOrder(row: RefundedOrder, nowMs: number): Order {
  return { ...row, state: stateOf(row, nowMs), late: row.late === 1 };
}

function showAny(
  row: RefundedOrder & { readonly username: string | null },
  nowMs: number,
): AnyOrder {
  return { ...row, ...showOrder(row, nowMs), username: row.username ?? "" };
}

/** An order with the money of its refunds that were not refused. */
type RefundedOrder = OrderRow & { readonly refunded: number };

/** Adds to each order the money of its refunds. */
async function withRefunds<Row extends OrderRow>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & { readonly refunded: number })[]> {
  const ids = rows.map(({ id }) => id);
  const sums =
    ids.length === 0
      ? []
      : await db
          .selectFrom("order_refunds")
          .select((eb) => ["order_id", eb.fn.sum<number>("money").as("money")])
          .where("order_id", "in", ids)
          .where("state", "<>", "refused")
          .groupBy("order_id")
          .execute();
  const byId = new Map(sums.map(({ order_id, money }) => [order_id, Number(money)]));
  return rows.map((row) => ({ ...row, refunded: byId.get(row.id) ?? 0 }));
}

/** Finds an order with the money of its refunds. */
export async function findRefunded(db: Db, number: string): Promise<RefundedOrder | undefined> {
  const order = await findOrder(db, number);
  return order === undefined ? undefined : (await withRefunds(db, [order]))[0];
}

export async function findOrder(db: Db, number: string): Promise<OrderRow | undefined> {
  return await db.selectFrom("orders").selectAll().where("number", "=", number).executeTakeFirst();
}

/** Finds an order and locks its row until the transaction ends. */
export async function lockOrder(tx: Db, number: string): Promise<OrderRow | undefined> {
  const query = tx.selectFrom("orders").selectAll().where("number", "=", number);
  return await lockRows(tx, query).executeTakeFirst();
}

type OrderPage<Item> = { readonly items: Item[]; readonly total: number };

/** Reads one page of a user's orders, newest first. */
export async function pageOwnOrders(
  db: Db,
  userId: number,
  { page, page_size }: PageWindow,
  nowMs: number,
): Promise<OrderPage<Order>> {
  const query = db.selectFrom("orders").where("user_id", "=", userId);
  const rows = await query
    .selectAll()
    .orderBy("id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = (await withRefunds(db, rows)).map((row) => showOrder(row, nowMs));
  return { items, total: Number(total) };
}

/** Which orders a list shows. A filter that is empty matches every order. */
export type OrderFilter = {
  /** Matches the number, or the processor's own id of the payment. */
  readonly keyword: string;
  /** Matches the beginning of the user's name. */
  readonly username: string;
  readonly state: string;
};

function selectAny(db: Db) {
  return db
    .selectFrom("orders")
    .leftJoin("users", "users.id", "orders.user_id")
    .selectAll("orders")
    .select("users.username");
}

/** Reads one page of all orders, newest first. */
export async function pageOrders(
  db: Db,
  { keyword, username, state }: OrderFilter,
  { page, page_size }: PageWindow,
  nowMs: number,
): Promise<OrderPage<AnyOrder>> {
  let query = selectAny(db);
  if (keyword !== "") {
    query = query.where((eb) =>
      eb.or([eb("orders.number", "=", keyword), eb("orders.external_id", "=", keyword)]),
    );
  }
  if (username !== "") query = query.where(startsWith("users.username", username));
  const seconds = unixSeconds(nowMs);
  if (state === "paid") query = query.where("paid_at", ">", 0);
  if (state === "pending") query = query.where("paid_at", "=", 0).where("expires_at", ">", seconds);
  if (state === "expired") {
    query = query.where("paid_at", "=", 0).where("expires_at", "<=", seconds);
  }
  const rows = await query
    .orderBy("orders.id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const { total } = await query
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = (await withRefunds(db, rows)).map((row) => showAny(row, nowMs));
  return { items, total: Number(total) };
}

/** The largest number of messages about an order that are kept. */
export const eventsMax = 50;

/** Reads an order with what arrived about it, newest first; undefined: there is no such order. */
export async function readOrder(
  db: Db,
  id: number,
  nowMs: number,
): Promise<OrderDetails | undefined> {
  const found = await selectAny(db).where("orders.id", "=", id).execute();
  const [row] = await withRefunds(db, found);
  if (row === undefined) return undefined;
  const events = await db
    .selectFrom("order_events")
    .selectAll()
    .where("order_id", "=", id)
    .orderBy("id", "desc")
    .limit(eventsMax)
    .execute();
  const refunds = await db
    .selectFrom("order_refunds")
    .selectAll()
    .where("order_id", "=", id)
    .orderBy("id", "desc")
    .execute();
  const owed = await owedOf(
    db,
    refunds.map((refund) => refund.id),
  );
  const shown = refunds.map((refund) => ({
    ...refund,
    owed: owed.get(refundCause(refund.id)) ?? 0,
    kind: refundKind.parse(refund.kind),
    state: refundState.parse(refund.state),
  }));
  return { ...showAny(row, nowMs), events, refunds: shown };
}

/** Reads how much of the quota of refunds became a debt, by the causes of their entries. */
async function owedOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("entries")
    .select(["cause", "debt"])
    .where("cause", "in", ids.map(refundCause))
    .execute();
  return new Map(rows.map(({ cause, debt }) => [cause, debt]));
}

/** Counts the orders of a user that can still be paid. */
export async function countOpen(db: Db, userId: number, nowMs: number): Promise<number> {
  const { count } = await db
    .selectFrom("orders")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("paid_at", "=", 0)
    .where("expires_at", ">", unixSeconds(nowMs))
    .executeTakeFirstOrThrow();
  return Number(count);
}
