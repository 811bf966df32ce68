import type { Order } from "@tollgate/contract/endpoints/orders.ts";
import { useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { orderLook } from "./order-texts.ts";

/** How an order stands. */
export function OrderBadge({ order }: { readonly order: Order }) {
  const { text, tone } = orderLook(order, useT());
  return <Badge tone={tone}>{text}</Badge>;
}
