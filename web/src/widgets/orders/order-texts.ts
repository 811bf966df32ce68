/** How orders are named: their states and the ways to pay. */

import type { Order } from "@tollgate/contract/orders.ts";
import type { T } from "#i18n/t.ts";
import type { Tone } from "#ui/tone.ts";

export const orderTones: Readonly<Record<Order["state"], Tone>> = {
  pending: "info",
  paid: "success",
  expired: "neutral",
};

export function stateName(state: Order["state"], t: T): string {
  switch (state) {
    case "pending":
      return t("widgets.orderStatePending");
    case "paid":
      return t("widgets.orderStatePaid");
    case "expired":
      return t("widgets.orderStateExpired");
  }
}

/** Names a way to pay; one that this console does not know is shown by its id. */
export function methodName(id: string, t: T): string {
  if (id === "zfb") return t("widgets.orderMethodZfb");
  if (id === "wx") return t("widgets.orderMethodWx");
  if (id === "stripe") return t("widgets.orderMethodStripe");
  return id;
}
