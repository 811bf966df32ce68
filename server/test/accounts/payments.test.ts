import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { signEpay } from "#modules/payments/processors/epay.ts";
import { merchant, openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";

for (const dialect of testDialects) {
  describe(`payments on ${dialect}`, () => {
    let scene: PaymentScene;
    beforeAll(async () => {
      scene = await openPaymentScene(dialect);
    });
    afterAll(async () => await scene.close());

    test("O-386, O-387: the price is shown before paying, by price, group and discount", async () => {
      const { configure, payer } = scene;
      const alice = await payer("alice");
      const priced = async (amount: unknown) =>
        (await alice.post("/api/user/amount", { amount, top_up_code: "x" })).body;
      expect(await priced(10)).toMatchObject({ success: true, message: "success", data: "73.00" });
      configure({ TopupDiscount: '{"10":"0.95"}', TopupGroupRatio: '{"default":"1.1"}' });
      // 10 × 7.3 × 1.1 × 0.95 = 76.285: half a cent is rounded up.
      expect(await priced(10)).toMatchObject({ data: "76.29" });
      expect(await priced("11")).toMatchObject({ data: "88.33" });
      configure({ MinTopUp: "5" });
      expect(await priced(4)).toMatchObject({
        success: false,
        message: "充值数量不能小于 5",
        data: "充值数量不能小于 5",
      });
      configure({ MaxTopUp: "20" });
      expect(await priced(20)).toMatchObject({ success: true });
      expect(await priced(21)).toMatchObject({ success: false, data: "充值数量不能大于 20" });
      for (const amount of [-10, 1.5, "x", null, 1e18, "1e3"]) {
        expect(await priced(amount)).toMatchObject({ success: false });
      }
      // What is less than the minimum is not suggested.
      const presets = async (more: Record<string, string>) => {
        configure({ TopupDiscount: '{"2":"1","10":"0.95"}', ...more });
        return (await alice.get("/api/user/topup/info")).body.data;
      };
      expect(await presets({ MinTopUp: "3" })).toMatchObject({
        min_amount: 3,
        presets: [{ amount: 10, discount: "0.95" }],
      });
      expect(await presets({ DisplayInCurrencyEnabled: "false" })).toMatchObject({ presets: [] });
      configure({ DisplayInCurrencyEnabled: "false" });
      // Quota units: 750,000 are 1.5 dollars, exactly.
      expect(await priced(750_000)).toMatchObject({ data: "10.95" });
      configure({ DisplayInCurrencyEnabled: "false", Price: "0.000001" });
      expect(await priced(500_000)).toMatchObject({ success: false, message: "充值金额过低" });
      configure();
    });

    test("O-383, O-384, O-385: an order is stored before the browser gets the signed form", async () => {
      const { gateway, epay, configure, payer, start, check } = scene;
      const bob = await payer("bob");
      const { data, url, order } = await start(bob, 10, "wx");
      expect(url).toBe(`${epay.origin}/submit.php`);
      const { sign, ...fields } = data;
      expect(fields).toEqual({
        pid: merchant.pid,
        type: "wxpay",
        out_trade_no: order,
        notify_url: "https://gate.example/api/user/epay/notify",
        return_url: `https://gate.example/topup?order=${order}`,
        name: "TUC10",
        money: "73.00",
        device: "pc",
        sign_type: "MD5",
      });
      expect(sign).toBe(signEpay(Object.entries(fields), merchant.key));
      expect(order).toMatch(new RegExp(`^USR${bob.id}NO[0-9A-Za-z]{6}\\d{10}$`));
      expect(await check(bob, order)).toMatchObject({
        state: "pending",
        quota: 10 * unit,
        money: 7_300,
        currency: "cny",
        discount: "1",
      });
      const refused = await bob.post("/api/user/pay", { amount: 10, payment_method: "cash" });
      expect(refused.body).toMatchObject({ success: false, message: "支付方式不存在" });
      gateway.setOptions({});
      const off = await bob.post("/api/user/pay", { amount: 10, payment_method: "zfb" });
      expect(off.body).toMatchObject({ success: false, message: "当前管理员未配置支付信息" });
      configure();
    });

    test("a pending order is paid from its row until it expires, on the terms that it has fixed", async () => {
      const { gateway, configure, payer, start, notify, epay, quotaOf, check } = scene;
      const gina = await payer("gina");
      const { data, url, order } = await start(gina, 10, "wx");
      const again = async (who: typeof gina) =>
        (await who.post("/api/user/topup/again", { number: order })).body;
      configure({ Price: "9", MinTopUp: "50" });
      expect(await again(gina)).toMatchObject({ success: true, data, url, order });
      configure();
      const other = await payer("gina2");
      expect(await again(other)).toMatchObject({ success: false, message: "订单不存在" });
      gateway.setOptions({});
      expect(await again(gina)).toMatchObject({ message: "当前管理员未配置支付信息" });
      configure();
      expect((await notify(epay.callback(order, "73.00"))).text).toBe("success");
      expect(await check(gina, order)).toMatchObject({ state: "paid" });
      expect(await again(gina)).toMatchObject({
        success: false,
        message: "该订单已不能支付，请重新下单",
      });
      expect(await quotaOf(gina)).toBe(10 * unit);
    });

    test("an expired order cannot be paid again", async () => {
      const { gateway, payer, start } = scene;
      const hugo = await payer("hugo");
      const { order } = await start(hugo, 10, "wx");
      gateway.clock.nowMs += 31 * 60_000;
      const { body } = await hugo.post("/api/user/topup/again", { number: order });
      expect(body).toMatchObject({ success: false, message: "该订单已不能支付，请重新下单" });
    });

    test("P-M9: 50 callbacks at once, by GET and POST, credit an order once", async () => {
      const { gateway, epay, payer, start, quotaOf, notify, check, proven, credits } = scene;
      const carol = await payer("carol");
      const { order } = await start(carol);
      const paid = epay.callback(order, "73.00");
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => notify(paid, index % 2 === 0 ? "get" : "post")),
      );
      expect(answers.map(({ text }) => text)).toEqual(answers.map(() => "success"));
      expect(await quotaOf(carol)).toBe(10 * unit);
      expect(await credits(order)).toEqual([{ amount: 10 * unit, kind: "topup" }]);
      await Promise.all([check(carol, order), notify(paid)]);
      expect(await quotaOf(carol)).toBe(10 * unit);
      const log = await gateway.db
        .selectFrom("logs")
        .select(["type", "content"])
        .where("user_id", "=", carol.id)
        .execute();
      expect(log).toEqual([
        { type: 1, content: "使用在线充值成功，充值金额: 5000000，支付金额：73.00 CNY" },
      ]);
      await proven();
    });

    test("P-M9: forged, altered and misdirected callbacks change nothing", async () => {
      const { gateway, epay, payer, start, quotaOf, notify, check, proven, credits } = scene;
      const dave = await payer("dave");
      const { order } = await start(dave);
      const { order: small } = await start(dave, 1);
      const good = epay.callback(order, "73.00");
      const signed = (change: Record<string, string>) => epay.sign({ ...good, ...change });
      const attacks: Record<string, string>[] = [
        { ...good, sign: "0".repeat(32) },
        { ...good, sign: "" },
        { ...good, money: "0.01" },
        { ...good, out_trade_no: small },
        signed({ money: "0.01" }),
        signed({ money: "-73.00" }),
        signed({ money: "7300" }),
        signed({ money: "73.001" }),
        signed({ money: "1e3" }),
        signed({ money: "99999999999999999999.00" }),
        signed({ money: "" }),
        signed({ pid: "2002" }),
        signed({ pid: "" }),
        signed({ out_trade_no: "USR1NOnobody1763812345" }),
        signed({ out_trade_no: "" }),
        signed({ trade_no: "" }),
        {},
        { sign: signEpay([], "") },
        // Signed with an empty key, as a gateway without one would.
        { ...good, sign: signEpay(Object.entries(good), "") },
      ];
      for (const fields of attacks) {
        expect([fields, (await notify(fields)).text]).toEqual([fields, "fail"]);
        expect((await notify(fields, "post")).text).toBe("fail");
      }
      // The same name twice, or once in the query and once in the form.
      const query = new URLSearchParams(good).toString();
      const twice = await gateway.callRawText(`/api/user/epay/notify?${query}&money=1.00`);
      expect(twice.text).toBe("fail");
      const both = await gateway.callRawText(`/api/user/epay/notify?${query}`, query);
      expect(both.text).toBe("fail");
      const waiting = await notify(signed({ trade_status: "WAIT_BUYER_PAY" }));
      expect(waiting.text).toBe("fail");
      expect((await gateway.callRawText("/api/user/nobody/notify")).text).toBe("fail");
      expect(await quotaOf(dave)).toBe(0);
      expect(await credits(order)).toEqual([]);
      expect((await notify(good)).text).toBe("success");
      expect(await quotaOf(dave)).toBe(10 * unit);
      // A message that was sent before the payment arrives after it.
      expect((await notify(signed({ trade_status: "WAIT_BUYER_PAY" }))).text).toBe("fail");
      expect(await check(dave, order)).toMatchObject({ state: "paid" });
      // A second payment of the same order is kept for root, and not credited.
      expect((await notify(signed({ trade_no: "another" }))).text).toBe("fail");
      expect(await quotaOf(dave)).toBe(10 * unit);
      await proven();
    });

    test("money that arrives after the order has expired is credited, and said to be late", async () => {
      const { gateway, epay, payer, start, quotaOf, notify, check, proven } = scene;
      const erin = await payer("erin");
      const { order } = await start(erin);
      gateway.clock.nowMs += 31 * 60_000;
      const again = await gateway.signIn("erin");
      expect(await check(again, order)).toMatchObject({ state: "expired" });
      expect((await notify(epay.callback(order, "73.00"))).text).toBe("success");
      expect(await check(again, order)).toMatchObject({ state: "paid", late: true });
      expect(await quotaOf(again)).toBe(10 * unit);
      const { content } = await gateway.db
        .selectFrom("logs")
        .select("content")
        .where("user_id", "=", erin.id)
        .executeTakeFirstOrThrow();
      expect(content).toContain("（订单过期后到账）");
      await proven();
    });

    test("P-M9: a user who brings the payment of another's order gets nothing of it", async () => {
      const { epay, payer, start, quotaOf, check, proven, credits } = scene;
      const owner = await payer("owner");
      const thief = await payer("thief");
      const { order } = await start(owner);
      const { order: own } = await start(thief);
      const query = new URLSearchParams(epay.callback(order, "73.00")).toString();
      // With the other's number, with the own number, and with the number changed in the query.
      const asked = { number: order, query };
      expect((await thief.post("/api/user/topup/check", asked)).body).toMatchObject({
        success: false,
        message: "订单不存在",
      });
      expect(await quotaOf(owner)).toBe(0);
      const renamed = query.replace(order, own);
      expect(await check(thief, own, renamed)).toMatchObject({ state: "pending" });
      expect(await check(thief, own, query)).toMatchObject({ number: own, state: "pending" });
      expect(await quotaOf(thief)).toBe(0);
      // The payment itself was proven, so it counts where it belongs.
      expect(await quotaOf(owner)).toBe(10 * unit);
      expect(await credits(own)).toEqual([]);
      await proven();
    });

    test("an order is credited by the return, by the open page, and by the sweep", async () => {
      const { gateway, epay, payer, start, quotaOf, check, proven } = scene;
      const frank = await payer("frank");
      const grace = await payer("grace");
      const heidi = await payer("heidi");
      const returned = await start(frank);
      const query = new URLSearchParams(epay.callback(returned.order, "73.00")).toString();
      expect(await check(frank, returned.order, query)).toMatchObject({ state: "paid" });

      const asked = await start(grace);
      expect(await check(grace, asked.order)).toMatchObject({ state: "pending" });
      epay.payments.set(asked.order, "73.00");
      gateway.clock.nowMs += 4_000;
      expect(await check(grace, asked.order)).toMatchObject({ state: "paid" });

      const swept = await start(heidi);
      epay.payments.set(swept.order, "73.00");
      await gateway.runJob("order-sweep");
      expect(await quotaOf(heidi)).toBe(0);
      gateway.clock.nowMs += 61_000;
      await gateway.runJob("order-sweep");
      expect(await quotaOf(heidi)).toBe(10 * unit);
      for (const client of [frank, grace, heidi]) expect(await quotaOf(client)).toBe(10 * unit);
      // A gateway that was paid too little, or answers nonsense, credits nothing.
      const cheap = await start(heidi);
      epay.payments.set(cheap.order, "0.01");
      gateway.clock.nowMs += 120_000;
      await gateway.runJob("order-sweep");
      epay.answer = "<html>busy</html>";
      gateway.clock.nowMs += 240_000;
      await gateway.runJob("order-sweep");
      epay.answer = null;
      expect(await quotaOf(heidi)).toBe(10 * unit);
      await proven();
    });
  });
}
