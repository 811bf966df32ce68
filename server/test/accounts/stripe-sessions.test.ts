/** Tests what Stripe is asked about the sessions of orders, by whom and for how long. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listOwnOrders } from "@tollgate/contract/endpoints/orders.ts";
import { testDialects } from "#db/testing/database.ts";
import { openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";
import { stripeOptions, stripeSteps } from "./stripe-scene.ts";
import { openStripeServer, type StripeServer } from "./stripe-server.ts";

const orderShape = listOwnOrders.output.shape.items.element;

for (const dialect of testDialects) {
  describe(`sessions of Stripe on ${dialect}`, () => {
    let scene: PaymentScene;
    let stripe: StripeServer;
    beforeAll(async () => {
      stripe = openStripeServer();
      scene = await openPaymentScene(dialect, { stripeUrl: stripe.origin });
      scene.configure(stripeOptions);
    });
    afterAll(async () => {
      stripe.close();
      await scene.close();
    });

    const steps = stripeSteps(() => ({ scene, stripe }));
    const { start, stateOf, bought } = steps;

    test("the open page and the sweep ask Stripe about the session, also after a webhook got lost", async () => {
      const fay = await scene.payer("fay");
      const { order } = await start(fay);
      const check = async (number: string) =>
        orderShape.parse((await fay.post("/api/user/topup/check", { number })).body.data).state;
      expect(await check(order)).toBe("pending");
      stripe.pay(order);
      scene.gateway.clock.nowMs += 4_000;
      expect(await check(order)).toBe("paid");
      const { order: swept } = await start(fay);
      stripe.pay(swept);
      scene.gateway.clock.nowMs += 61_000;
      await scene.gateway.runJob("order-sweep");
      expect((await stateOf(fay)).quota).toBe(20 * unit);
      await scene.proven();
    });

    test("an answer about another order's session credits neither", async () => {
      const oda = await scene.payer("oda");
      const { order } = await start(oda);
      const { order: other } = await start(oda);
      stripe.pay(other);
      const polls = scene.gateway.db.updateTable("order_polls");
      const reference = stripe.sessionOf(other).id;
      await polls
        .set({ reference })
        .where("order_id", "=", await scene.idOf(order))
        .execute();
      const { body } = await oda.post("/api/user/topup/check", { number: order });
      expect(orderShape.parse(body.data).state).toBe("pending");
      expect(await stateOf(oda)).toEqual({ quota: 0, debt: 0 });
    });

    test("root asks Stripe about an order that is paid, and about one that is not asked about any more", async () => {
      const ask = async (order: string): Promise<unknown> => {
        const root = await scene.root();
        return (await root.post(`/api/order/${await scene.idOf(order)}/check`)).body.data;
      };
      const { order } = await bought("ivo");
      expect(await ask(order)).toEqual({ verdict: "repeated" });
      const { order: old } = await start(await scene.payer("eli"));
      scene.gateway.clock.nowMs += 8 * 86_400_000;
      await scene.gateway.runJob("order-sweep");
      stripe.pay(old);
      scene.gateway.clock.nowMs += 86_400_000;
      await scene.gateway.runJob("order-sweep");
      expect(await scene.credits(old)).toEqual([]);
      expect(await ask(old)).toEqual({ verdict: "credited" });
      expect(await scene.credits(old)).toEqual([{ amount: 10 * unit, kind: "topup" }]);
      await scene.proven();
    });
  });
}
