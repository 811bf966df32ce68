/**
 * Orders: top-ups of the balance that users pay for. An order fixes what is paid and what is
 * credited before the browser is sent to a processor; nothing that comes later computes either.
 *
 * Times are Unix seconds, quota is whole quota units, money is whole minor units (cents) of its
 * currency.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id, queryText, sentText, sentWhole } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";

const whole = z.number().int();

/**
 * States of an order. `pending`: not paid, and may still be; `failed`: its processor could not begin
 * the payment, or said that it failed; `expired`: not paid in time. A payment that arrives after all
 * is still credited.
 */
export const orderState = z.enum(["pending", "paid", "failed", "expired"]);
export type OrderState = z.infer<typeof orderState>;

const order = z.object({
  number: z.string(),
  processor: z.string(),
  /** The way to pay that the user chose. */
  method: z.string(),
  state: orderState,
  /** What the user asked for: dollars, or quota units where screens show these. */
  amount: z.string(),
  quota: whole,
  money: whole,
  currency: z.string(),
  /** The texts from which `money` was computed. */
  price: z.string(),
  group_ratio: z.string(),
  discount: z.string(),
  created_at: whole,
  expires_at: whole,
  /** When the payment was credited; 0: not yet. */
  paid_at: whole,
  /** Whether the payment arrived after the order had expired. */
  late: z.boolean(),
  /** How much of `money` was given back, or is being given back. */
  refunded: whole,
});
export type Order = z.infer<typeof order>;

/** An order as root sees it. */
const anyOrder = order.extend({
  id: whole,
  user_id: whole,
  username: z.string(),
  /** The processor's own id of the payment; empty: not known. */
  external_id: z.string(),
});
export type AnyOrder = z.infer<typeof anyOrder>;

/** What a processor said about an order, and what followed. */
const orderEvent = z.object({
  id: whole,
  /** How it arrived: by the start, a call of the processor, the browser's return, our question. */
  source: z.string(),
  /** What followed: `credited`, `repeated`, `pending`, `failed`, or why it was refused. */
  verdict: z.string(),
  /** The text as it arrived, without keys. */
  raw: z.string(),
  client_ip: z.string(),
  created_at: whole,
});

/** The largest amount of one order, in dollars or, where screens show these, in quota units. */
export const orderAmountMax = 1_000_000_000_000;

const amount = sentWhole(-orderAmountMax, orderAmountMax, "参数错误");

const asked = {
  amount,
  /** Accepted because one-api consoles send it; it changes nothing. */
  top_up_code: sentText(100, "参数错误"),
  payment_method: sentText(20, "参数错误"),
};

/** What the wallet needs to offer a top-up. */
export const readTopUpInfo = endpoint({
  method: "GET",
  path: "/api/user/topup/info",
  access: "user",
  input: z.object({}),
  output: z.object({
    /** The ways to pay that are set up. */
    methods: z.array(z.object({ id: z.string(), processor: z.string(), currency: z.string() })),
    /** The smallest amount of an order. */
    min_amount: whole,
    /** The largest amount of an order; 0: no bound of the operator. */
    max_amount: whole,
    /** Suggested amounts from the smallest on, each with the factor of its discount; 1: none. */
    presets: z.array(z.object({ amount: whole, discount: z.string() })),
  }),
});

/** Answers with the price of an amount, as decimal text in the method's currency. */
export const priceOrder = endpoint({
  method: "POST",
  path: "/api/user/amount",
  access: "user",
  readsOnly: true,
  input: z.object(asked),
  output: z.string(),
});

/** What the browser does to pay: post `data` to `url` as a form. */
const start = {
  /** A text: why the order was refused, where one-api consoles look for it. */
  output: z.union([z.record(z.string(), z.string()), z.string()]),
  extras: z.object({
    url: z.string(),
    /** The number of the order. */
    order: z.string(),
  }),
};

/** Creates an order at the processor of one-api's consoles. */
export const pay = endpoint({
  method: "POST",
  path: "/api/user/pay",
  access: "user",
  input: z.object(asked),
  ...start,
});

/** Creates an order at any processor. */
export const payWith = endpoint({
  method: "POST",
  path: "/api/user/:processor/pay",
  access: "user",
  input: z.object({ ...asked, processor: z.string().max(20) }),
  ...start,
});

/** Answers with what the browser does to pay an own order that may still be paid, as its start did. */
export const payAgain = endpoint({
  method: "POST",
  path: "/api/user/topup/again",
  access: "user",
  input: z.object({ number: z.string().max(64) }),
  ...start,
});

/** Lists the caller's orders, newest first. */
export const listOwnOrders = endpoint({
  method: "GET",
  path: "/api/user/topup/self",
  access: "user",
  input: z.object(pageInput),
  output: page(order),
});

const number = z.string().max(64);

/**
 * Answers with an own order. One that is not paid yet is asked about at its processor first.
 * `query` is what the browser brought back from the processor, if it did.
 */
export const checkOwnOrder = endpoint({
  method: "POST",
  path: "/api/user/topup/check",
  access: "user",
  input: z.object({ number, query: z.string().max(4_096).default("") }),
  output: order,
});

/** Lists all orders, newest first, by number, by user's name and by state. */
export const listOrders = endpoint({
  method: "GET",
  path: "/api/order/",
  access: "root",
  input: z.object({ ...pageInput, keyword: queryText, username: queryText, state: queryText }),
  output: page(anyOrder),
});

/**
 * States of a refund. `asked`: the processor has not said whether it is done; `refused`: it is not,
 * and its quota was given back.
 */
export const refundState = z.enum(["asked", "done", "refused"]);

/** What takes money of an order back: root or the processor, or the payer's bank. */
export const refundKind = z.enum(["refund", "dispute"]);

/** A refund or a dispute of an order. A dispute that was lost is `done`, one that was won `refused`. */
const orderRefund = z.object({
  id: whole,
  kind: refundKind,
  /** The processor's id of this refund or dispute; empty if it gave none. */
  external_id: z.string(),
  money: whole,
  /** The quota that it takes back. */
  quota: whole,
  /** How much of the quota the user had spent, so that it became a debt. */
  owed: whole,
  state: refundState,
  reason: z.string(),
  /** What the processor said, without keys. */
  answer: z.string(),
  created_by: whole,
  created_at: whole,
  ended_at: whole,
});

/** Answers with an order and everything its processor has said about it, newest first. */
export const readOrder = endpoint({
  method: "GET",
  path: "/api/order/:id",
  access: "root",
  input: z.object({ id }),
  output: anyOrder.extend({ events: z.array(orderEvent), refunds: z.array(orderRefund) }),
});
export type OrderDetails = z.infer<typeof readOrder.output>;

/** Asks the processor about an order again, and answers with what it says. */
export const checkOrder = endpoint({
  method: "POST",
  path: "/api/order/:id/check",
  access: "root",
  input: z.object({ id }),
  output: z.object({ verdict: z.string() }),
});

/** Credits an order that root knows to be paid, because its processor answers no questions. */
export const settleOrder = endpoint({
  method: "POST",
  path: "/api/order/:id/settle",
  access: "root",
  stepUp: () => true,
  input: z.object({ id, reason: z.string().trim().min(1, "请填写原因").max(200) }),
  output: z.void(),
});

const reason = z.string().trim().min(1, "请填写原因").max(200);

/**
 * Gives money of a paid order back, and takes its share of the quota from the balance first. What
 * the user has spent of it already becomes a debt. Answers with what became of it.
 */
export const refundOrder = endpoint({
  method: "POST",
  path: "/api/order/:id/refund",
  access: "root",
  stepUp: () => true,
  input: z.object({ id, money: sentWhole(1, Number.MAX_SAFE_INTEGER, "退款金额无效"), reason }),
  output: z.object({ state: refundState, answer: z.string() }),
});

/** Ends a refund of which the processor has not said whether it is done, as root knows it to be. */
export const endRefund = endpoint({
  method: "POST",
  path: "/api/order/:id/refund/end",
  access: "root",
  stepUp: () => true,
  input: z.object({ id, refund: id, done: z.boolean() }),
  output: z.void(),
});

/** A request of a processor as it came. */
const rawRequest = z.object({
  method: z.string(),
  /** The query of the address, without `?`. */
  query: z.string(),
  body: z.string(),
  contentType: z.string(),
  /** Its header fields, with names in lower case. */
  headers: z.record(z.string(), z.string()),
});
export type RawRequest = z.infer<typeof rawRequest>;

/**
 * Called by the server of a processor. It reads no JSON and answers in plain text: the words that
 * the processor expects, once everything is stored.
 */
export const notifyPayment = endpoint({
  method: "GET",
  alias: "POST",
  path: "/api/user/:processor/notify",
  access: "public",
  raw: true,
  input: z.object({ processor: z.string().max(20), raw: rawRequest }),
  output: z.void(),
});
