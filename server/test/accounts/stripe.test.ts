import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readAgent } from "@tollgate/contract/endpoints/agents.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";
import { stripeOptions, stripeSteps } from "./stripe-scene.ts";
import { openStripeServer, type StripeServer, stripeKeys } from "./stripe-server.ts";

for (const dialect of testDialects) {
  describe(`Stripe on ${dialect}`, () => {
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
    const { start, send, at, completed, stateOf, bought } = steps;

    test("the order is stored, and its session created with it, before the browser is sent on", async () => {
      const ada = await scene.payer("ada");
      const info = await ada.get("/api/user/topup/info");
      expect(info.body.data).toMatchObject({
        methods: [{ id: "zfb" }, { id: "wx" }, { id: "stripe", currency: "usd" }],
      });
      const priced = await ada.post("/api/user/amount", { amount: 10, payment_method: "stripe" });
      expect(priced.body).toMatchObject({ data: "11.00" });
      const { url, order } = await start(ada);
      const session = stripe.sessionOf(order);
      expect(url).toBe(session.url);
      expect(session).toMatchObject({ amount_total: 1_100, currency: "usd" });
      const row = await scene.gateway.db
        .selectFrom("order_polls")
        .innerJoin("orders", "orders.id", "order_polls.order_id")
        .select("reference")
        .where("number", "=", order)
        .executeTakeFirst();
      expect(row).toEqual({ reference: session.id });
      stripe.mood.away = true;
      expect(await start(ada)).toMatchObject({ success: false, message: "拉起支付失败" });
      stripe.mood.away = false;
      scene.configure();
      expect(await start(ada)).toMatchObject({ message: "当前管理员未配置支付信息" });
      scene.configure(stripeOptions);
    });

    test("P-M9: 50 webhooks at once credit an order once, repeated or late ones nothing more", async () => {
      const bea = await scene.payer("bea");
      const { order } = await start(bea);
      stripe.pay(order);
      const signed = await Promise.all(Array.from({ length: 50 }, () => completed(order)));
      const answers = await Promise.all(signed.map(send));
      expect(answers.map(({ text }) => text)).toEqual(answers.map(() => "success"));
      expect(await stateOf(bea)).toEqual({ quota: 10 * unit, debt: 0 });
      expect(await scene.credits(order)).toEqual([{ amount: 10 * unit, kind: "topup" }]);
      // Replayed after the time that the library allows: not genuine any more.
      const old = await stripe.event(
        "checkout.session.completed",
        stripe.sessionOf(order),
        at({ atMs: scene.gateway.clock.nowMs - 301_000 }),
      );
      expect(await send(old)).toEqual({ status: 400, text: "fail" });
      const { client, order: late } = await (async () => {
        const cleo = await scene.payer("cleo");
        return { client: cleo, ...(await start(cleo)) };
      })();
      stripe.pay(late);
      scene.gateway.clock.nowMs += 31 * 60_000;
      expect((await send(await completed(late))).text).toBe("success");
      const again = await scene.gateway.signIn(client.username);
      expect(await stateOf(again)).toMatchObject({ quota: 10 * unit });
      await scene.proven();
    });

    test("P-M9: forged, altered and misdirected webhooks change nothing", async () => {
      const dan = await scene.payer("dan");
      const { order } = await start(dan);
      const { order: other } = await start(dan, 20);
      stripe.pay(order);
      stripe.pay(other);
      const session = stripe.sessionOf(order);
      const good = await completed(order);
      const type = "checkout.session.completed";
      const from = async (change: object) => await completed(order, change);
      const attacks = [
        { ...good, signature: "" },
        { ...good, signature: good.signature.replace(/v1=./, "v1=z") },
        { ...good, body: good.body.replace("1100", "1101") },
        { ...good, body: `${good.body} ` },
        { ...good, body: "" },
        await stripe.event(type, session, at({ secret: "whsec_another" })),
        await stripe.event(type, session, at({ livemode: true })),
        await from({ amount_total: 1 }),
        await from({ amount_total: -1_100 }),
        await from({ amount_total: 1e300 }),
        await from({ amount_total: null }),
        await from({ currency: "jpy" }),
        await from({ currency: "" }),
        await from({ client_reference_id: other }),
        await from({ metadata: { tollgate_order: other } }),
        await from({ metadata: { tollgate_order: "USR1NOnobody1763812345" } }),
        await from({ payment_intent: null }),
        await from({ livemode: true }),
        await stripe.event(type, { object: "checkout.session" }, at()),
      ];
      for (const [index, attack] of attacks.entries()) {
        expect([index, await send(attack)]).toEqual([index, { status: 400, text: "fail" }]);
      }
      // Genuine, and not about a payment of ours that is done.
      for (const [what, object] of [
        [type, { ...session, metadata: {} }],
        [type, { ...session, payment_status: "unpaid" }],
        ["checkout.session.expired", { ...session, payment_status: "unpaid" }],
        ["plan.created", { object: "plan" }],
      ] as const) {
        const ignored = await stripe.event(what, object, at());
        expect([what, await send(ignored)]).toEqual([what, { status: 200, text: "received" }]);
      }
      // By GET, as another processor's callback, and an order of this processor at another's address.
      const query = new URLSearchParams({ out_trade_no: order, money: "11.00" }).toString();
      expect((await scene.gateway.callRawText(`/api/user/stripe/notify?${query}`)).text).toBe(
        "fail",
      );
      scene.configure({ ...stripeOptions, StripeCurrency: "cny" });
      const { order: inYuan } = await start(dan);
      const paidByEpay = scene.epay.callback(inYuan, "11.00");
      expect((await scene.notify(paidByEpay)).text).toBe("fail");
      scene.configure(stripeOptions);
      expect(await stateOf(dan)).toEqual({ quota: 0, debt: 0 });
      expect((await send(good)).text).toBe("success");
      expect(await stateOf(dan)).toEqual({ quota: 10 * unit, debt: 0 });
      await scene.proven();
    });

    test("the database away during a webhook is not answered with success", async () => {
      const eve = await scene.payer("eve");
      const { order } = await start(eve);
      stripe.pay(order);
      const signed = await completed(order);
      for (const only of [undefined, "applyPayment"]) {
        const away = await scene.gateway.callRawWithout("payments", () => send(signed), only);
        expect([only, away]).toEqual([only, { status: 500, text: "fail" }]);
      }
      expect((await send(signed)).text).toBe("success");
      expect((await stateOf(eve)).quota).toBe(10 * unit);
      await scene.proven();
    });

    test("messages of the live mode count with a live key, and only they", async () => {
      const quin = await scene.payer("quin");
      const { order } = await start(quin);
      stripe.pay(order);
      scene.configure({ ...stripeOptions, StripeApiSecret: "rk_live_0123456789" });
      expect((await send(await completed(order))).text).toBe("fail");
      const { events } = await scene.details(await scene.idOf(order));
      expect(events.map(({ verdict }) => verdict)).toEqual(["refused: another mode"]);
      const live = { ...stripe.sessionOf(order), livemode: true };
      const type = "checkout.session.completed";
      expect((await send(await stripe.event(type, live, at()))).text).toBe("fail");
      expect(await stateOf(quin)).toEqual({ quota: 0, debt: 0 });
      const genuine = await stripe.event(type, live, at({ livemode: true }));
      expect((await send(genuine)).text).toBe("success");
      expect(await stateOf(quin)).toEqual({ quota: 10 * unit, debt: 0 });
      scene.configure(stripeOptions);
    });

    test("P-M9: a webhook that is faster than the answer to the browser credits once", async () => {
      const ned = await scene.payer("ned");
      const held = stripe.hold();
      const started = start(ned);
      await Promise.race([held.made, started]);
      const order = stripe.newest();
      stripe.pay(order);
      expect((await send(await completed(order))).text).toBe("success");
      held.release();
      expect(await started).toMatchObject({ success: true, order });
      scene.gateway.clock.nowMs += 61_000;
      await scene.gateway.runJob("order-sweep");
      expect(await stateOf(ned)).toEqual({ quota: 10 * unit, debt: 0 });
      await scene.proven();
    });

    test("a refund of another payment, or in another currency, changes nothing", async () => {
      const { client, order } = await bought("pia");
      const session = stripe.sessionOf(order);
      const foreign = stripe.back("refund", order, 1_100, "succeeded");
      foreign.currency = "eur";
      const paid = session.payment_intent;
      session.payment_intent = "pi_another";
      const another = stripe.back("refund", order, 1_100, "succeeded");
      expect((await send(await stripe.event("refund.created", another, at()))).text).toBe("fail");
      session.payment_intent = paid;
      expect((await send(await stripe.event("refund.created", foreign, at()))).text).toBe("fail");
      expect(await stateOf(client)).toEqual({ quota: 10 * unit, debt: 0 });
      await scene.proven();
    });

    test("root refunds in parts; Stripe's own messages about these refunds change nothing more", async () => {
      const { client, order } = await bought("gil");
      const boss = await scene.root();
      const id = await scene.idOf(order);
      const refund = async (money?: number) =>
        (await boss.post(`/api/order/${id}/refund`, { money, reason: "asked for it" })).body;
      expect(await refund(100)).toMatchObject({ data: { state: "done" } });
      const [back] = [...stripe.backs.values()].slice(-1);
      expect(back).toMatchObject({
        amount: 100,
        payment_intent: stripe.sessionOf(order).payment_intent,
      });
      for (const type of ["refund.created", "refund.updated"] as const) {
        const signed = await stripe.event(type, back ?? {}, at());
        expect((await send(signed)).text).toBe("success");
      }
      const left = 10 * unit - Math.round((10 * unit) / 11);
      expect(await stateOf(client)).toEqual({ quota: left, debt: 0 });
      stripe.mood.refuses = true;
      expect(await refund()).toMatchObject({ data: { state: "refused" } });
      stripe.mood.refuses = false;
      stripe.mood.away = true;
      expect(await refund()).toMatchObject({ data: { state: "asked" } });
      stripe.mood.away = false;
      expect((await stateOf(client)).quota).toBe(0);
      const details = await scene.details(id);
      const open = details.refunds.find(({ state }) => state === "asked")?.id;
      await boss.post(`/api/order/${id}/refund/end`, { refund: open, done: false });
      expect((await stateOf(client)).quota).toBe(left);
      await scene.proven();
    });

    test("money-rules §2: a refund made at Stripe itself takes the quota; what is spent is owed", async () => {
      const { client, order } = await bought("hal");
      const boss = await scene.root();
      await boss.put("/api/user/", { id: client.id, username: "hal", quota_delta: -4 * unit });
      const back = stripe.back("refund", order, 1_100, "pending");
      const created = await stripe.event("refund.created", back, at());
      expect((await send(created)).text).toBe("success");
      expect(await stateOf(client)).toEqual({ quota: 0, debt: 4 * unit });
      // It fails in the end: the debt goes first, the rest is credited. Old messages change nothing.
      back.status = "failed";
      const failed = await stripe.event("refund.failed", back, at());
      expect((await send(failed)).text).toBe("success");
      expect(await stateOf(client)).toEqual({ quota: 6 * unit, debt: 0 });
      for (const old of [created, failed, created]) expect((await send(old)).text).toBe("success");
      expect(await stateOf(client)).toEqual({ quota: 6 * unit, debt: 0 });
      await scene.proven();
    });

    test("money-rules §2: a dispute takes the quota, once; won gives it back, lost keeps it", async () => {
      const { client, order } = await bought("ivy");
      const inquiry = stripe.back("dispute", order, 1_100, "warning_needs_response");
      const opened = await stripe.event("charge.dispute.created", inquiry, at());
      expect((await send(opened)).text).toBe("received");
      expect((await stateOf(client)).quota).toBe(10 * unit);
      inquiry.status = "needs_response";
      // Twenty at once, on both sides of the decision.
      const types = ["charge.dispute.updated", "charge.dispute.funds_withdrawn"] as const;
      const told = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          stripe.event(types[n % 2] ?? "charge.dispute.updated", inquiry, at()),
        ),
      );
      const answers = await Promise.all(told.map(send));
      expect(answers.map(({ text }) => text)).toEqual(answers.map(() => "success"));
      expect(await stateOf(client)).toEqual({ quota: 0, debt: 0 });
      inquiry.status = "won";
      const closed = await stripe.event("charge.dispute.closed", inquiry, at());
      for (const message of [closed, opened, closed]) await send(message);
      expect(await stateOf(client)).toEqual({ quota: 10 * unit, debt: 0 });

      const second = await bought("jon");
      const lost = stripe.back("dispute", second.order, 1_100, "lost");
      // The first message that arrives is the last that was sent.
      await send(await stripe.event("charge.dispute.closed", lost, at()));
      await send(await stripe.event("charge.dispute.created", lost, at()));
      expect(await stateOf(second.client)).toEqual({ quota: 0, debt: 0 });
      const details = await scene.details(await scene.idOf(second.order));
      expect(details.refunds).toMatchObject([{ kind: "dispute", state: "done", money: 1_100 }]);
      // No more than was paid can go back.
      const over = stripe.back("refund", second.order, 1_100, "succeeded");
      await send(await stripe.event("refund.created", over, at()));
      expect(await stateOf(second.client)).toEqual({ quota: 0, debt: 0 });
      await scene.proven();
    });

    test("money-rules §3: a dispute takes the inviter's rebate back; won returns it, lost keeps it", async () => {
      scene.configure({ ...stripeOptions, TopUpRebatePercent: "12.5" });
      const uma = await scene.payer("uma");
      const earned = async () =>
        z.object({ aff_quota: z.number() }).parse((await uma.get("/api/user/self")).body.data)
          .aff_quota;
      for (const [name, end, left] of [
        ["vic", "won", 1.25 * unit],
        ["wes", "lost", 1.25 * unit],
      ] as const) {
        const { order } = await bought(name, uma);
        const dispute = stripe.back("dispute", order, 1_100, "needs_response");
        const before = await earned();
        await send(await stripe.event("charge.dispute.created", dispute, at()));
        expect([name, before - (await earned())]).toEqual([name, 1.25 * unit]);
        dispute.status = end;
        const closed = await stripe.event("charge.dispute.closed", dispute, at());
        for (const message of [closed, closed]) await send(message);
        expect([name, await earned()]).toEqual([name, left]);
      }
      scene.configure(stripeOptions);
      await scene.proven();
    });

    test("a refund that is told of before its payment has the payment credited first", async () => {
      const kim = await scene.payer("kim");
      const { order } = await start(kim);
      stripe.pay(order);
      const back = stripe.back("refund", order, 550, "succeeded");
      const early = await stripe.event("refund.created", back, at());
      stripe.mood.away = true;
      expect((await send(early)).text).toBe("fail");
      stripe.mood.away = false;
      expect((await send(early)).text).toBe("success");
      expect(await stateOf(kim)).toEqual({ quota: 5 * unit, debt: 0 });
      expect((await send(await completed(order))).text).toBe("success");
      expect(await stateOf(kim)).toEqual({ quota: 5 * unit, debt: 0 });
      await scene.proven();
    });

    test("root sees what Stripe said, without keys", async () => {
      const { order } = await bought("lee");
      const details = await scene.details(await scene.idOf(order));
      expect(details.events.map(({ verdict }) => verdict)).toEqual(["credited"]);
      const kept = JSON.stringify(details);
      for (const key of Object.values(stripeKeys)) expect(kept.includes(key)).toBe(false);
    });

    test("money-rules §3: a disputed order earns no further dividend, and takes none back", async () => {
      const agents = { AgentsEnabled: "true", AgentApprovalRequired: "false" };
      scene.configure({ ...stripeOptions, ...agents, AgentDividendPercent: "10" });
      const max = await scene.payer("max");
      await max.post("/api/user/agent/join");
      const { client: nia, order } = await bought("nia", max);
      const purseAfterDay = async (spending: number) => {
        await scene.spent(nia, spending);
        scene.gateway.clock.nowMs += 86_400_000;
        await scene.gateway.runJob("dividends");
        const again = await scene.gateway.signIn("max");
        return readAgent.output.parse((await again.get("/api/user/agent")).body.data).balance;
      };
      expect(await purseAfterDay(2 * unit)).toBe(0.2 * unit);
      const dispute = stripe.back("dispute", order, 1_100, "needs_response");
      await send(await stripe.event("charge.dispute.created", dispute, at()));
      expect(await purseAfterDay(3 * unit)).toBe(0.2 * unit);
      dispute.status = "won";
      await send(await stripe.event("charge.dispute.closed", dispute, at()));
      expect(await purseAfterDay(1 * unit)).toBe(0.6 * unit);
    });
  });
}
