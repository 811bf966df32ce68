/** How orders are named: their states and the ways to pay. */

import type { Order } from "@tollgate/contract/endpoints/orders.ts";
import type { T } from "#i18n/t.ts";
import type { Tone } from "#ui/tone.ts";

const orderTones: Readonly<Record<Order["state"], Tone>> = {
  pending: "info",
  paid: "success",
  failed: "danger",
  expired: "neutral",
};

export function stateName(state: Order["state"], t: T): string {
  switch (state) {
    case "pending":
      return t("widgets.orderStatePending");
    case "paid":
      return t("widgets.orderStatePaid");
    case "failed":
      return t("widgets.orderStateFailed");
    case "expired":
      return t("widgets.orderStateExpired");
  }
}

type OrderLook = { readonly text: string; readonly tone: Tone };

/** Says how an order stands: its state, or that it was paid late or is refunded. */
export function orderLook(
  { state, late, money, refunded }: Pick<Order, "late" | "money" | "refunded" | "state">,
  t: T,
): OrderLook {
  if (refunded > 0) {
    const isPart = refunded < money;
    const text = isPart ? t("widgets.orderRefundedPartly") : t("widgets.orderRefunded");
    return { text, tone: "warning" };
  }
  if (late) return { text: t("widgets.orderLate"), tone: "warning" };
  return { text: stateName(state, t), tone: orderTones[state] };
}

/** Names a way to pay; one that this console does not know is shown by its id. */
export function methodName(id: string, t: T): string {
  if (id === "zfb") return t("widgets.orderMethodZfb");
  if (id === "wx") return t("widgets.orderMethodWx");
  if (id === "stripe") return t("widgets.orderMethodStripe");
  return id;
}
