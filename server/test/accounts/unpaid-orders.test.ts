/** What payment processors say of orders that nobody has paid, and where a payer comes back to. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { merchant, openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";

for (const dialect of testDialects) {
  describe(`orders that are not paid on ${dialect}`, () => {
    let scene: PaymentScene;
    beforeAll(async () => {
      scene = await openPaymentScene(dialect);
    });
    afterAll(async () => await scene.close());

    /** What a gateway says of an order, with some fields of its own. */
    function saysOf(order: string, more: object) {
      const ids = { trade_no: `T${order}`, out_trade_no: order, pid: merchant.pid };
      return { code: 1, msg: "ok", ...ids, money: "73.00", ...more };
    }

    /** Has the payer ask about a new order, and returns what came of it. */
    async function asked(name: string, answer: (order: string) => object) {
      const payer = await scene.payer(name);
      const { order } = await scene.start(payer);
      scene.epay.answer = JSON.stringify(answer(order));
      await scene.check(payer, order);
      scene.gateway.clock.nowMs += 4_000;
      const { state } = await scene.check(payer, order);
      scene.epay.answer = null;
      const { events } = await scene.details(await scene.idOf(order));
      const said = events.map(({ verdict }) => verdict);
      return { state, quota: await scene.quotaOf(payer), said };
    }

    test("an order whose gateway answers anything but paid is not credited, whoever asks, and root reads why", async () => {
      const differs = "pending: status and trade_status do not agree";
      const nested = "pending: the answer stands under data";
      const cases: [string, object, string | null][] = [
        ["waiting", { status: 1, trade_status: "WAITING" }, differs],
        ["closed", { status: 1, trade_status: "TRADE_CLOSED" }, differs],
        ["emptytrade", { status: 1, trade_status: "" }, differs],
        ["nulltrade", { status: 1, trade_status: null }, differs],
        ["numbered", { status: 1, trade_status: 1 }, differs],
        ["lowercase", { status: "1", trade_status: "trade_success" }, differs],
        ["unpaid", { status: 0, trade_status: "TRADE_SUCCESS" }, differs],
        ["nostatus", { trade_status: "TRADE_SUCCESS" }, "pending: the answer has no status"],
        ["nothing", {}, "pending: the answer has no status"],
        ["plain", { status: 0 }, null],
        ["both", { status: 0, trade_status: "WAIT_BUYER_PAY" }, null],
        ["refunded", { status: 2 }, null],
        ["boolean", { status: true }, differs.replace(/:.*/, ": the answer has no status")],
        ["decimal", { status: "1.0" }, null],
      ];
      for (const [name, more, word] of cases) {
        const outcome = await asked(name, (order) => saysOf(order, more));
        const said = word === null ? [] : [word];
        expect([more, outcome]).toEqual([more, { state: "pending", quota: 0, said }]);
      }
      const inside = await asked("inside", (order) => {
        return { code: 1, msg: "ok", data: saysOf(order, { status: 1 }) };
      });
      expect(inside).toEqual({ state: "pending", quota: 0, said: [nested] });
      const beside = await asked("beside", (order) => {
        return saysOf(order, { status: 1, data: { trade_status: "WAITING" } });
      });
      expect(beside).toEqual({ state: "pending", quota: 0, said: [nested] });
      await scene.proven();
    });

    test("an order that its gateway calls paid is credited, in every form that documents know", async () => {
      const forms = {
        number: { status: 1 },
        text: { status: "1" },
        agreeing: { status: 1, trade_status: "TRADE_SUCCESS" },
        extra: { status: 1, data: null, endtime: "2026-11-29 10:00:00" },
      };
      for (const [name, more] of Object.entries(forms)) {
        const outcome = await asked(`paid${name}`, (order) => saysOf(order, more));
        expect(outcome).toEqual({ state: "paid", quota: 10 * unit, said: ["credited"] });
      }
      await scene.proven();
    });

    test("the sweep and root meet the same rule, and root is told once however often it is asked", async () => {
      const { gateway, epay, payer, start, quotaOf } = scene;
      const swept = await payer("swept");
      const { order } = await start(swept);
      const id = await scene.idOf(order);
      epay.answer = JSON.stringify(saysOf(order, { status: 1, trade_status: "WAITING" }));
      for (let round = 0; round < 3; round += 1) {
        gateway.clock.nowMs += 400_000;
        await gateway.runJob("order-sweep");
      }
      expect((await scene.details(id)).events).toHaveLength(1);
      const boss = await scene.root();
      const { body } = await boss.post(`/api/order/${id}/check`);
      expect(body.data).toEqual({ verdict: "pending: status and trade_status do not agree" });
      epay.answer = null;
      expect(await quotaOf(swept)).toBe(0);
    });

    test("a gateway reads success only once its payment is credited", async () => {
      const { epay, payer, start, notify, quotaOf } = scene;
      const early = await payer("early");
      const { order } = await start(early);
      for (const trade_status of ["WAIT_BUYER_PAY", "TRADE_CLOSED", "TRADE_FINISHED", ""]) {
        const unpaid = epay.sign({ ...epay.callback(order, "73.00"), trade_status });
        for (const how of ["get", "post"] as const) {
          expect([trade_status, (await notify(unpaid, how)).text]).toEqual([trade_status, "fail"]);
        }
      }
      // A notice that names the field of order queries has to agree with it.
      const mixed = epay.sign({ ...epay.callback(order, "73.00"), status: "0" });
      expect((await notify(mixed)).text).toBe("fail");
      expect(await quotaOf(early)).toBe(0);
      expect((await notify(epay.callback(order, "73.00"))).text).toBe("success");
      expect(await quotaOf(early)).toBe(10 * unit);
    });

    test("the payer comes back to the server's own address, never to one that a request names", async () => {
      const { gateway, configure, payer } = scene;
      const nell = await payer("nell");
      const startFrom = async (origin: string) => {
        const headers = { ...nell.headers, origin };
        const body = { amount: 10, payment_method: "zfb" };
        return (await gateway.call("POST", "/api/user/pay", { headers, body })).body;
      };
      const back = (own: string) => {
        return { return_url: expect.stringContaining(`${own}/topup?order=USR${nell.id}NO`) };
      };
      expect(await startFrom("https://gateway.test")).toMatchObject({
        data: back("https://gate.example"),
      });
      configure({ ServerAddress: "" });
      const local = "http://localhost:3000";
      expect(await startFrom("https://gateway.test")).toMatchObject({
        data: { ...back(local), notify_url: `${local}/api/user/epay/notify` },
      });
      configure();
    });

    test("an address with characters that separate signed fields is not saved", async () => {
      const boss = await scene.root();
      for (const character of ["&", "=", "#", "&money=0.01", "?x"]) {
        const value = `https://gate.example/a${character}b`;
        for (const key of ["ServerAddress", "CustomCallbackAddress"]) {
          const saved = await boss.put("/api/option/", { key, value });
          expect([key, value, saved.body.success]).toEqual([key, value, false]);
        }
      }
    });
  });
}
