import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listOwnOrders } from "@tollgate/contract/endpoints/orders.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Client } from "./open-console.ts";
import { openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";
import { stripeOptions, stripeSteps } from "./stripe-scene.ts";
import { openStripeServer, type StripeServer } from "./stripe-server.ts";

const page = listOwnOrders.output;

for (const dialect of testDialects) {
  describe(`orders whose payment fails on ${dialect}`, () => {
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

    const { start, send, at, completed, stateOf } = stripeSteps(() => ({ scene, stripe }));

    async function statesOf(client: Client) {
      const { items } = page.parse((await client.get("/api/user/topup/self")).body.data);
      return items.map(({ state }) => state);
    }

    /** Counts a user's orders in root's list, by state. */
    async function countsOf({ username }: Client) {
      const boss = await scene.root();
      const counts = ["pending", "failed", "expired"].map(async (state) => {
        const list = await boss.get(`/api/order/?username=${username}&state=${state}`);
        return page.parse(list.body.data).total;
      });
      return await Promise.all(counts);
    }

    test("a payment that could not begin has failed, and does not use up the user's open orders", async () => {
      const zoe = await scene.payer("zoe");
      stripe.mood.away = true;
      for (let time = 0; time < 21; time += 1) {
        expect(await start(zoe)).toMatchObject({ success: false, message: "拉起支付失败" });
        // The limit of orders in a minute is not what this is about.
        if (time % 10 === 9) scene.gateway.clock.nowMs += 61_000;
      }
      stripe.mood.away = false;
      expect(new Set(await statesOf(zoe))).toEqual(new Set(["failed"]));
      expect(await countsOf(zoe)).toEqual([0, 21, 0]);
      // Nobody was sent to pay, so Stripe is not asked about these orders later.
      const polls = scene.gateway.db.selectFrom("order_polls").selectAll("order_polls");
      const own = polls.innerJoin("orders", "orders.id", "order_polls.order_id");
      expect(await own.where("user_id", "=", zoe.id).execute()).toEqual([]);
      expect(await start(zoe)).toMatchObject({ success: true });
    });

    test("an order says that its payment failed, until money arrives after all", async () => {
      const yan = await scene.payer("yan");
      const { order } = await start(yan);
      expect(await countsOf(yan)).toEqual([1, 0, 0]);
      const failed = async () =>
        await stripe.event("checkout.session.async_payment_failed", stripe.sessionOf(order), at());
      for (const message of [await failed(), await failed()]) {
        expect(await send(message)).toEqual({ status: 200, text: "received" });
      }
      const details = async () => await scene.details(await scene.idOf(order));
      const { state, events } = await details();
      expect(state).toBe("failed");
      // It was told twice, and is noted once.
      expect(events).toMatchObject([{ source: "notify", verdict: "failed" }]);
      expect(await scene.check(yan, order)).toMatchObject({ state: "failed" });
      expect(await countsOf(yan)).toEqual([0, 1, 0]);
      expect(await stateOf(yan)).toEqual({ quota: 0, debt: 0 });

      stripe.pay(order);
      for (const message of [await completed(order), await failed()]) {
        expect((await send(message)).text).toBe("success");
      }
      expect([(await details()).state, ...(await countsOf(yan))]).toEqual(["paid", 0, 0, 0]);
      expect(await stateOf(yan)).toEqual({ quota: 10 * unit, debt: 0 });
      await scene.proven();
    });
  });
}
