import { moneyText } from "@tollgate/contract/money/money.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { creditRebate } from "#modules/affiliates/affiliates.ts";
import { type Posted, postEntry } from "#modules/ledger/ledger.ts";
import { insertTopUpLog } from "#modules/logs/logs.ts";
import { tellMoney } from "#modules/notifications/notifications.ts";
import * as repo from "./orders.repo.ts";
import { orderHash, type OrderRow, type OrderTerms, paidHash, topUpCause } from "./payments.ts";
import type { PaymentFact, ReversalFact } from "./processors/processor.ts";
import {
  beginRefund,
  endRefund,
  endRefundByHand,
  lockPaid,
  noteRefund,
  type PlannedRefund,
  planRefund,
  planReversal,
  reverseOrder,
} from "./refunds.ts";

/** The largest number of orders of a user that wait for their payment. */
const openOrdersMax = 20;

/** When a processor is first asked about an order, in seconds after its creation. */
const firstPollSeconds = 60;

/** For how long a processor is asked about an order, in seconds. */
const pollSecondsMax = 7 * 86_400;

/** The longest pause between two questions about an order, in seconds. */
const pauseSecondsMax = 6 * 3_600;

/** The longest message that is kept, in characters; a longer one is cut. */
const rawMax = 4_000;

/** Creates an order, before the browser is sent to the processor. */
async function createOrder(tx: Db, terms: OrderTerms, nowMs: number): Promise<OrderRow> {
  const row = { ...terms, hash: orderHash(terms), external_id: "", paid_at: 0, late: 0 };
  const { id } = await tx
    .insertInto("orders")
    .values(row)
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("order_polls")
    .values({
      order_id: id,
      next_at: terms.created_at + firstPollSeconds,
      tries: 0,
      reference: "",
    })
    .execute();
  if ((await repo.countOpen(tx, terms.user_id, nowMs)) > openOrdersMax) {
    throw new Refusal("limit-reached", `待支付的订单不能超过 ${openOrdersMax} 个`);
  }
  return { id, ...row };
}

/** How a message about an order arrived. */
type Arrival = {
  readonly source: "notify" | "poll" | "return" | "root" | "start";
  /** The message without keys. */
  readonly raw: string;
  readonly clientIp: string;
  /** The share of the order that the user's inviter earns, in hundredths of a per cent. */
  readonly rebateBp: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** What came of a payment that a processor reported. */
export type Applied = {
  /** What this report changed on the balance; null: nothing. */
  readonly posted: Posted | null;
  /** Whether the order is paid now, by this report or by one before. */
  readonly settled: boolean;
  readonly verdict: string;
};

/**
 * Credits an order for which a payment was proven. The row of the order is locked, so that of many
 * reports of one payment one credits it. The entry, the order, the log row and the report are one
 * transaction.
 */
async function applyPayment(
  tx: Db,
  processor: string,
  fact: PaymentFact,
  arrival: Arrival,
): Promise<Applied> {
  const order = await repo.lockOrder(tx, fact.number);
  if (order === undefined) return { posted: null, settled: false, verdict: "unknown order" };
  const verdict = judge(order, processor, fact);
  await insertEvent(tx, order.id, verdict, arrival);
  if (verdict !== "credited") {
    return { posted: null, settled: verdict === "repeated", verdict };
  }
  const posted = await credit(tx, order, fact.externalId, arrival);
  return { posted, settled: true, verdict };
}

/** Compares a payment with its order. */
function judge(order: OrderRow, processor: string, fact: PaymentFact): string {
  if (order.processor !== processor) return "another processor";
  if (order.currency !== fact.currency) return "another currency";
  if (order.money !== fact.money) return "another amount of money";
  if (order.paid_at === 0) return "credited";
  return order.external_id === fact.externalId ? "repeated" : "a second payment";
}

async function credit(
  tx: Db,
  order: OrderRow,
  externalId: string,
  { nowMs, clientIp, rebateBp }: Arrival,
): Promise<Posted> {
  const seconds = unixSeconds(nowMs);
  const paid = {
    external_id: externalId,
    paid_at: seconds,
    late: seconds >= order.expires_at ? 1 : 0,
  };
  const posted = await postEntry(tx, {
    cause: topUpCause(order.number),
    kind: "topup",
    userId: order.user_id,
    amount: order.quota,
    detail: paidHash({ ...order, ...paid }),
    nowMs,
  });
  await tx.updateTable("orders").set(paid).where("id", "=", order.id).execute();
  await endPolls(tx, order.id);
  await creditRebate(tx, order, { rebateBp, nowMs });
  const money = `${moneyText(order.money, order.currency)} ${order.currency.toUpperCase()}`;
  const said = `使用在线充值成功，充值金额: ${order.quota}，支付金额：${money}`;
  const content = paid.late === 1 ? `${said}（订单过期后到账）` : said;
  const { quota, user_id: userId } = order;
  await tellMoney(tx, {
    cause: topUpCause(order.number),
    userId,
    event: "order_paid",
    quota,
    money,
  });
  await insertTopUpLog(tx, { userId, content, clientIp, nowMs });
  return posted;
}

/** Applies a refund or dispute that a processor told of; see `refunds.ts`. */
async function applyReversal(
  tx: Db,
  processor: string,
  fact: ReversalFact,
  most: number,
  arrival: Arrival,
): Promise<Applied> {
  const order = await lockPaid(tx, processor, fact);
  if (order === undefined) return { posted: null, settled: false, verdict: "unknown payment" };
  const { posted, verdict } = await reverseOrder(tx, order, { fact, most, nowMs: arrival.nowMs });
  await insertEvent(tx, order.id, verdict, arrival);
  return { posted, settled: true, verdict };
}

/** Keeps by what the processor is asked about an order. */
async function noteReference(tx: Db, orderId: number, reference: string): Promise<void> {
  const poll = tx.updateTable("order_polls").set({ reference });
  await poll.where("order_id", "=", orderId).execute();
}

async function findReference(db: Db, orderId: number): Promise<string> {
  const row = await db
    .selectFrom("order_polls")
    .select("reference")
    .where("order_id", "=", orderId)
    .executeTakeFirst();
  return row?.reference ?? "";
}

/** What is kept of a message. */
type Message = Omit<Arrival, "rebateBp">;

/** Keeps what arrived about an order that it did not pay. Unknown orders are ignored. */
async function noteEvent(tx: Db, number: string, verdict: string, message: Message): Promise<void> {
  const order = await repo.findOrder(tx, number);
  if (order !== undefined) await insertEvent(tx, order.id, verdict, message);
}

/** Keeps what arrived about an order, unless the same verdict is kept already. */
async function noteEventOnce(
  tx: Db,
  number: string,
  verdict: string,
  message: Message,
): Promise<void> {
  const order = await repo.lockOrder(tx, number);
  if (order === undefined) return;
  const same = tx.selectFrom("order_events").select("id").where("order_id", "=", order.id);
  if ((await same.where("verdict", "=", verdict).limit(1).execute()).length > 0) return;
  await insertEvent(tx, order.id, verdict, message);
}

/** Later than any time. */
const never = Number.MAX_SAFE_INTEGER;

/**
 * Ends the questions about an order. By what the processor is asked is kept, because root may ask
 * later.
 */
async function endPolls(tx: Db, orderId: number): Promise<void> {
  const polls = tx.deleteFrom("order_polls").where("order_id", "=", orderId);
  await polls.where("reference", "=", "").execute();
  await tx
    .updateTable("order_polls")
    .set({ next_at: never })
    .where("order_id", "=", orderId)
    .execute();
}

/**
 * Keeps that the payment of an order failed, once. One that did not begin is not asked about, since
 * nobody was sent to pay it.
 */
async function noteFailure(tx: Db, number: string, message: Message): Promise<void> {
  const order = await repo.lockOrder(tx, number);
  if (order === undefined) return;
  if (message.source === "start") {
    await tx.deleteFrom("order_polls").where("order_id", "=", order.id).execute();
  }
  if ((await repo.findFailed(tx, [order.id])).has(order.id)) return;
  await insertEvent(tx, order.id, repo.failedVerdict, message);
}

/** The verdicts of messages that change the order. They are always kept. */
const kept: readonly string[] = ["credited", repo.failedVerdict];

async function insertEvent(
  tx: Db,
  orderId: number,
  verdict: string,
  { source, raw, clientIp, nowMs }: Message,
): Promise<void> {
  const { count } = await tx
    .selectFrom("order_events")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("order_id", "=", orderId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= repo.eventsMax && !kept.includes(verdict)) return;
  await tx
    .insertInto("order_events")
    .values({
      order_id: orderId,
      source,
      verdict,
      raw: raw.slice(0, rawMax),
      client_ip: clientIp,
      created_at: unixSeconds(nowMs),
    })
    .execute();
}

/** Credits an order that root knows to be paid, and writes an audit log entry. */
async function settleByHand(
  tx: Db,
  number: string,
  reason: string,
  by: { readonly actor: Actor; readonly rebateBp: number; readonly nowMs: number },
): Promise<Applied> {
  const order = await repo.lockOrder(tx, number);
  if (order === undefined) throw new Refusal("not-found", "订单不存在");
  if (order.paid_at !== 0) throw new Refusal("not-allowed", "该订单已支付");
  const { actor, nowMs, rebateBp } = by;
  const told = { source: "root", raw: reason, clientIp: actor.clientIp } as const;
  const arrival = { ...told, rebateBp, nowMs };
  await insertEvent(tx, order.id, "credited", arrival);
  const posted = await credit(tx, order, `root:${actor.userId}`, arrival);
  await appendAudit(tx, {
    actor,
    action: "order.settle",
    target: `order:${order.id}`,
    detail: { number, reason, quota: order.quota },
    nowMs,
  });
  return { posted, settled: true, verdict: "credited" };
}

/**
 * Returns the orders that a processor is to be asked about now, and puts off the next question
 * about each, longer every time. Gives up on orders that are too old.
 */
async function takeDueOrders(tx: Db, limit: number, nowMs: number): Promise<OrderRow[]> {
  const now = unixSeconds(nowMs);
  const due = await tx
    .selectFrom("order_polls")
    .innerJoin("orders", "orders.id", "order_polls.order_id")
    .selectAll("orders")
    .select("order_polls.tries")
    .where("next_at", "<=", now)
    .orderBy("next_at")
    .limit(limit)
    .execute();
  for (const { id, tries, created_at } of due) {
    const next_at = now + Math.min(pauseSecondsMax, firstPollSeconds * 2 ** Math.min(tries, 20));
    const poll = tx.updateTable("order_polls").set({ next_at, tries: tries + 1 });
    await poll.where("order_id", "=", id).execute();
    if (created_at + pollSecondsMax > now) continue;
    await endPolls(tx, id);
  }
  return due.map(({ tries: _, ...order }) => order);
}

/** Plans a refund of an order; see `refunds.ts`. */
async function planRefundOf(
  db: Db,
  number: string,
  money: number | undefined,
): Promise<PlannedRefund> {
  const order = await repo.findOrder(db, number);
  if (order === undefined) throw new Refusal("not-found", "订单不存在");
  return await planRefund(db, order, money);
}

/** Reads the group of a user, which has a factor of the price. */
async function readGroup(db: Db, userId: number): Promise<string> {
  const user = await db
    .selectFrom("users")
    .select("group")
    .where("id", "=", userId)
    .executeTakeFirst();
  return user?.group ?? "";
}

export const paymentStore = defineStore({
  reads: {
    findOrder: repo.findOrder,
    findRefunded: repo.findRefunded,
    pageOrders: repo.pageOrders,
    pageOwnOrders: repo.pageOwnOrders,
    findReference,
    planRefundOf,
    planReversal,
    readGroup,
    readOrder: repo.readOrder,
  },
  writes: {
    applyPayment,
    applyReversal,
    beginRefund,
    createOrder,
    endRefund,
    endRefundByHand,
    noteEvent,
    noteEventOnce,
    noteFailure,
    noteReference,
    noteRefund,
    settleByHand,
    takeDueOrders,
  },
});

export type PaymentStore = RemoteStore<typeof paymentStore>;
