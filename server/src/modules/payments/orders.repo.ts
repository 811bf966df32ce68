/** All queries on the tables of orders. */

import {
  type AnyOrder,
  type Order,
  type OrderDetails,
  orderState,
  type OrderState,
  refundKind,
  refundState,
} from "@tollgate/contract/endpoints/orders.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import type { Database, Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { type Paged, readPaged } from "#db/paging.ts";
import { startsWith } from "#db/text-search.ts";
import { type OrderRow, refundCause } from "./payments.ts";

/** The verdict of a message by which the payment of an order failed. */
export const failedVerdict = "failed";

function stateOf(row: ShownOrder, nowMs: number): OrderState {
  if (row.paid_at !== 0) return "paid";
  if (row.hasFailed) return "failed";
  return row.expires_at <= unixSeconds(nowMs) ? "expired" : "pending";
}

/** Returns an order in the form in which its user sees it. */
export function showOrder({ hasFailed, ...row }: ShownOrder, nowMs: number): Order {
  return { ...row, state: stateOf({ ...row, hasFailed }, nowMs), late: row.late === 1 };
}

function showAny(
  { hasFailed, ...row }: ShownOrder & { readonly username: string | null },
  nowMs: number,
): AnyOrder {
  const shown = showOrder({ ...row, hasFailed }, nowMs);
  return { ...row, ...shown, username: row.username ?? "" };
}

/** An order with what other tables tell of it. */
type ShownOrder = OrderRow & {
  /** The money of its refunds that were not refused. */
  readonly refunded: number;
  readonly hasFailed: boolean;
};

/** Adds to each order the money of its refunds, and whether its payment failed. */
async function withRefunds<Row extends OrderRow>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & ShownOrder)[]> {
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
  const unpaid = rows.flatMap(({ id, paid_at }) => (paid_at === 0 ? [id] : []));
  const failed = await findFailed(db, unpaid);
  return rows.map((row) => ({
    ...row,
    refunded: byId.get(row.id) ?? 0,
    hasFailed: failed.has(row.id),
  }));
}

/** Returns those of some orders whose payment failed. */
export async function findFailed(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("order_events")
    .select("order_id")
    .where("order_id", "in", ids)
    .where("verdict", "=", failedVerdict)
    .execute();
  return new Set(rows.map(({ order_id }) => order_id));
}

/** Finds an order with the money of its refunds. */
export async function findRefunded(db: Db, number: string): Promise<ShownOrder | undefined> {
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

/** Reads one page of a user's orders, newest first. */
export async function pageOwnOrders(
  db: Db,
  userId: number,
  window: PageWindow,
  nowMs: number,
): Promise<Paged<Order>> {
  const query = db.selectFrom("orders").where("user_id", "=", userId);
  const { items: rows, total } = await readPaged(query.selectAll().orderBy("id", "desc"), window);
  const items = (await withRefunds(db, rows)).map((row) => showOrder(row, nowMs));
  return { items, total };
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

/** The condition of a state, as `stateOf` tells it. */
function isIn(state: OrderState, nowSeconds: number): Expression<SqlBool> {
  const eb = expressionBuilder<Database, "orders">();
  const failed = eb.exists(
    eb
      .selectFrom("order_events")
      .select("order_events.id")
      .whereRef("order_events.order_id", "=", "orders.id")
      .where("order_events.verdict", "=", failedVerdict),
  );
  const unpaid = eb("orders.paid_at", "=", 0);
  switch (state) {
    case "paid":
      return eb("orders.paid_at", ">", 0);
    case "failed":
      return eb.and([unpaid, failed]);
    case "pending":
      return eb.and([unpaid, eb("orders.expires_at", ">", nowSeconds), eb.not(failed)]);
    case "expired":
      return eb.and([unpaid, eb("orders.expires_at", "<=", nowSeconds), eb.not(failed)]);
  }
}

/** Reads one page of all orders, newest first. */
export async function pageOrders(
  db: Db,
  { keyword, username, state }: OrderFilter,
  window: PageWindow,
  nowMs: number,
): Promise<Paged<AnyOrder>> {
  let query = selectAny(db);
  if (keyword !== "") {
    query = query.where((eb) =>
      eb.or([eb("orders.number", "=", keyword), eb("orders.external_id", "=", keyword)]),
    );
  }
  if (username !== "") query = query.where(startsWith("users.username", username));
  const wanted = orderState.safeParse(state);
  if (wanted.success) query = query.where(isIn(wanted.data, unixSeconds(nowMs)));
  const { items: rows, total } = await readPaged(query.orderBy("orders.id", "desc"), window);
  const items = (await withRefunds(db, rows)).map((row) => showAny(row, nowMs));
  return { items, total };
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
    .where(isIn("pending", unixSeconds(nowMs)))
    .executeTakeFirstOrThrow();
  return Number(count);
}
