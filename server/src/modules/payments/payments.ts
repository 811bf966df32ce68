/** The facts about orders that the ledger proves. */

import type { Selectable } from "kysely";
import { hashText } from "#base/secrets.ts";
import type { OrderRefundTable, OrderTable } from "#db/tables/orders.ts";

export type OrderRow = Selectable<OrderTable>;

/** The columns that are fixed when an order is created. */
export type OrderTerms = Omit<OrderRow, "external_id" | "hash" | "id" | "late" | "paid_at">;

/** Hex SHA-256 over what was agreed when the order was created, as JSON text in this order. */
export function orderHash(order: OrderTerms): string {
  return hashText(
    JSON.stringify([
      order.number,
      order.user_id,
      order.processor,
      order.method,
      order.amount,
      order.quota,
      order.money,
      order.currency,
      order.price,
      order.group,
      order.group_ratio,
      order.discount,
      order.quota_per_unit,
      order.top_up_code,
      order.created_at,
      order.expires_at,
    ]),
  );
}

/** The hash that the entry of a paid order stores: of the order and of its payment. */
export function paidHash(
  order: Pick<OrderRow, "external_id" | "hash" | "late" | "paid_at">,
): string {
  return hashText(JSON.stringify([order.hash, order.external_id, order.paid_at, order.late]));
}

export type RefundRow = Selectable<OrderRefundTable>;

/** Hex SHA-256 over a refund or dispute, as JSON text in this order. */
export function refundHash(row: Omit<RefundRow, "hash">): string {
  return hashText(
    JSON.stringify([
      row.id,
      row.order_id,
      row.kind,
      row.external_id,
      row.money,
      row.quota,
      row.state,
      row.reason,
      row.answer,
      row.created_by,
      row.created_at,
      row.ended_at,
    ]),
  );
}

/** The cause of the entry that credits an order. */
export function topUpCause(number: string): string {
  return `topup:${number}`;
}

/** The causes of the entries that take the quota of a refund and give it back. */
export function refundCause(refundId: number): string {
  return `payment_refund:${refundId}`;
}
export function restoreCause(refundId: number): string {
  return `payment_restored:${refundId}`;
}
