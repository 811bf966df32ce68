import { expect, test } from "bun:test";
import type { T } from "#i18n/t.ts";
import { orderLook } from "./order-texts.ts";

// Safe cast: the texts are not looked at, only which of them is chosen.
const t = ((key: string) => key) as unknown as T;

test("an order tells its user that it failed, was paid late, or was refunded, not only that it was paid", () => {
  const paid = { state: "paid", late: false, money: 100, refunded: 0 } as const;
  const looks = [
    paid,
    { ...paid, state: "failed" as const },
    { ...paid, late: true },
    { ...paid, refunded: 99 },
    { ...paid, late: true, refunded: 100 },
  ];
  expect(looks.map((order) => Object.values(orderLook(order, t)))).toEqual([
    ["widgets.orderStatePaid", "success"],
    ["widgets.orderStateFailed", "danger"],
    ["widgets.orderLate", "warning"],
    ["widgets.orderRefundedPartly", "warning"],
    ["widgets.orderRefunded", "warning"],
  ]);
});
