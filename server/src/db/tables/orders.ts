import type { Generated } from "kysely";

/**
 * Top-ups that users pay for. Written by `modules/payments` only; rows are never removed. Times in
 * Unix seconds, money in whole minor units of the currency.
 */
export type OrderTable = {
  id: Generated<number>;
  /** The number by which the processor knows the order; unique. */
  number: string;
  user_id: number;
  processor: string;
  /** The way to pay, as users choose it. */
  method: string;
  /** What the user asked for: dollars, or quota units where screens show these. */
  amount: string;
  /** Quota units that the payment credits. */
  quota: number;
  money: number;
  /** In lower case. */
  currency: string;
  /** The texts of the options from which `money` and `quota` were computed. */
  price: string;
  group: string;
  group_ratio: string;
  discount: string;
  quota_per_unit: string;
  top_up_code: string;
  created_at: number;
  expires_at: number;
  /** `orderHash` over every column above but `id`. */
  hash: string;
  /** The processor's own id of the payment; empty: not paid. */
  external_id: string;
  /** When the payment was credited; 0: not paid. */
  paid_at: number;
  /** 1: the payment arrived after `expires_at`. */
  late: number;
};

/** When a processor is asked next about an order that is not paid. */
export type OrderPollTable = {
  order_id: number;
  next_at: number;
  /** How often it was asked. */
  tries: number;
  /** By what the processor is asked about the order; empty: by its number. */
  reference: string;
};

/** What arrived about an order, without keys. */
export type OrderEventTable = {
  id: Generated<number>;
  order_id: number;
  /** `start`, `notify`, `return`, `poll` or `root`. */
  source: string;
  verdict: string;
  raw: string;
  client_ip: string;
  created_at: number;
};

/**
 * Refunds of orders. The quota is taken from the balance before the processor is asked, and given
 * back if the processor refuses.
 */
export type OrderRefundTable = {
  id: Generated<number>;
  order_id: number;
  /** `refund` or `dispute`. */
  kind: string;
  /** The processor's id of this refund or dispute; empty if it gave none. */
  external_id: string;
  money: number;
  /** Quota units that the refund takes from the balance. */
  quota: number;
  /** `asked`: not known whether it was done; `done`; `refused`: the quota was given back. */
  state: string;
  reason: string;
  /** What the processor said, without keys. */
  answer: string;
  created_by: number;
  created_at: number;
  /** When it was done or refused; 0: not yet. */
  ended_at: number;
  /** `refundHash` over every column above. */
  hash: string;
};
