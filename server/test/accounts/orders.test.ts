import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { z } from "zod";
import { postEarning } from "#modules/ledger/ledger.ts";
import { merchant, openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";

for (const dialect of testDialects) {
  describe(`orders and refunds on ${dialect}`, () => {
    let scene: PaymentScene;
    beforeAll(async () => {
      scene = await openPaymentScene(dialect);
    });
    afterAll(async () => await scene.close());

    test("users see only their own orders, and root sees all with what arrived, without keys", async () => {
      const { epay, root, payer, start, notify, idOf } = scene;
      const ivan = await payer("ivan");
      const judy = await payer("judy");
      const { order } = await start(ivan);
      const other = await judy.post("/api/user/topup/check", { number: order });
      expect(other.body).toMatchObject({ success: false, message: "订单不存在" });
      await notify({ ...epay.callback(order, "73.00"), sign: "f".repeat(32) });
      await notify(epay.callback(order, "73.00"));
      const list = await ivan.get("/api/user/topup/self");
      expect(list.body.data).toMatchObject({ total: 1, items: [{ number: order, state: "paid" }] });
      expect((await judy.get("/api/user/topup/self")).body.data).toMatchObject({ total: 0 });
      expect((await judy.get("/api/order/")).body.success).toBe(false);
      const boss = await root();
      const found = await boss.get(`/api/order/?keyword=${order}&state=paid&username=iva`);
      expect(found.body.data).toMatchObject({ total: 1, items: [{ username: "ivan" }] });
      const id = await idOf(order);
      const details = await scene.details(id);
      expect(details.events.map(({ source, verdict }) => [source, verdict])).toEqual([
        ["notify", "credited"],
        ["notify", "refused: wrong signature"],
      ]);
      const kept = JSON.stringify(details);
      expect(kept.includes(merchant.key)).toBe(false);
      expect(kept.includes("f".repeat(32))).toBe(false);
      expect(kept).toContain("trade_no");
      const again = await boss.post(`/api/order/${id}/check`);
      expect(again.body.data).toMatchObject({ verdict: "pending" });
    });

    test("root credits by hand what a gateway does not answer for, once, with a reason", async () => {
      const { gateway, root, payer, start, quotaOf, proven, idOf } = scene;
      const kate = await payer("kate");
      const { order } = await start(kate);
      const boss = await root();
      const id = await idOf(order);
      const settle = async (reason: string) =>
        (await boss.post(`/api/order/${id}/settle`, { reason })).body;
      expect(await settle(" ")).toMatchObject({ success: false, message: "请填写原因" });
      expect(await settle("seen on the bank statement")).toMatchObject({ success: true });
      expect(await settle("again")).toMatchObject({ success: false, message: "该订单已支付" });
      expect(await quotaOf(kate)).toBe(10 * unit);
      const noted = await gateway.db
        .selectFrom("audit_log")
        .select(["action", "target"])
        .where("action", "=", "order.settle")
        .execute();
      expect(noted).toEqual([{ action: "order.settle", target: `order:${id}` }]);
      await proven();
    });

    test("root refunds an order in parts; together they take exactly its quota", async () => {
      const { epay, configure, root, payer, start, quotaOf, notify, check, proven, idOf } = scene;
      const mia = await payer("mia");
      configure({ Price: "0.3" });
      const { order } = await start(mia, 1);
      configure();
      await notify(epay.callback(order, "0.30"));
      const boss = await root();
      const id = await idOf(order);
      const refund = async (money?: number, reason = "asked for it") =>
        (await boss.post(`/api/order/${id}/refund`, { money, reason })).body;
      expect(await refund(10, " ")).toMatchObject({ success: false, message: "请填写原因" });
      expect(await refund(31)).toMatchObject({ success: false, message: "最多可退款 0.30" });
      expect(await refund(10)).toMatchObject({ success: true, data: { state: "done" } });
      expect(await quotaOf(mia)).toBe(unit - 166_667);
      expect(await refund(10)).toMatchObject({ data: { state: "done" } });
      expect(await quotaOf(mia)).toBe(unit - 333_333);
      expect(await refund()).toMatchObject({ data: { state: "done" } });
      expect(await quotaOf(mia)).toBe(0);
      expect(await refund()).toMatchObject({ success: false, message: "最多可退款 0.00" });
      expect(epay.refunds.slice(-3)).toEqual([`${order} 0.10`, `${order} 0.10`, `${order} 0.10`]);
      expect(await check(mia, order)).toMatchObject({ state: "paid", refunded: 30 });
      const details = await scene.details(id);
      expect(details.refunds.map(({ money, state }) => [money, state])).toEqual([
        [10, "done"],
        [10, "done"],
        [10, "done"],
      ]);
      await proven();
    });

    test("a refund takes the quota before the gateway is asked, and gives it back if it refuses", async () => {
      const { epay, root, payer, start, quotaOf, notify, proven, idOf } = scene;
      const nina = await payer("nina");
      const { order } = await start(nina);
      const boss = await root();
      const id = await idOf(order);
      const refund = async () => (await boss.post(`/api/order/${id}/refund`, { reason: "r" })).body;
      expect(await refund()).toMatchObject({ success: false, message: "该订单尚未支付" });
      await notify(epay.callback(order, "73.00"));
      epay.refusesRefunds = true;
      expect(await refund()).toMatchObject({ success: true, data: { state: "refused" } });
      epay.refusesRefunds = false;
      expect(await quotaOf(nina)).toBe(10 * unit);
      // The gateway answers nonsense: nobody knows, so the quota stays taken until root decides.
      epay.answer = "<html>";
      expect(await refund()).toMatchObject({ success: true, data: { state: "asked" } });
      epay.answer = null;
      expect(await quotaOf(nina)).toBe(0);
      const details = await scene.details(id);
      const open = details.refunds.find(({ state }) => state === "asked")?.id ?? 0;
      const end = async (done: boolean) =>
        (await boss.post(`/api/order/${id}/refund/end`, { refund: open, done })).body;
      expect(await end(false)).toMatchObject({ success: true });
      expect(await end(true)).toMatchObject({ success: false, message: "该退款已结束" });
      const noted = await scene.gateway.db
        .selectFrom("audit_log")
        .select(["actor_id", "detail"])
        .where("action", "=", "order.end-refund")
        .where("target", "=", `order:${id}`)
        .execute();
      expect(noted.map(({ detail }) => JSON.parse(detail))).toEqual([
        { refund: open, state: "refused", money: 7_300, quota: 10 * unit },
      ]);
      expect(noted[0]?.actor_id).toBe(boss.id);
      // A refund is ended through its own order only.
      const another = await idOf((await start(nina)).order);
      expect(
        (await boss.post(`/api/order/${another}/refund/end`, { refund: open, done: true })).body,
      ).toMatchObject({ success: false, message: "退款不存在" });
      expect(await quotaOf(nina)).toBe(10 * unit);
      await proven();
    });

    test("an order whose gateway's settings were removed is not refunded, and its quota stays", async () => {
      const { epay, configure, root, payer, start, quotaOf, notify, proven, idOf } = scene;
      const nora = await payer("nora");
      const { order } = await start(nora);
      await notify(epay.callback(order, "73.00"));
      const boss = await root();
      const id = await idOf(order);
      const refund = async () => (await boss.post(`/api/order/${id}/refund`, { reason: "r" })).body;
      for (const name of ["PayAddress", "EpayId", "EpayKey"]) {
        configure({ [name]: "" });
        expect(await refund()).toMatchObject({
          success: false,
          message: "该支付方式的设置不完整，无法退款",
        });
      }
      expect((await scene.details(id)).refunds).toEqual([]);
      expect(await quotaOf(nora)).toBe(10 * unit);
      configure();
      expect(await refund()).toMatchObject({ success: true, data: { state: "done" } });
      await proven();
    });

    test("money-rules §2: what is spent of a refunded order is owed, and later top-ups pay it first", async () => {
      const { gateway, epay, root, payer, start, quotaOf, notify, proven, idOf } = scene;
      const rosa = await payer("rosa");
      const { order } = await start(rosa);
      await notify(epay.callback(order, "73.00"));
      const boss = await root();
      await boss.put("/api/user/", { id: rosa.id, username: "rosa", quota_delta: -4 * unit });
      const id = await idOf(order);
      const refunded = await boss.post(`/api/order/${id}/refund`, { reason: "charged back" });
      expect(refunded.body).toMatchObject({ data: { state: "done" } });
      const owes = async () =>
        z.object({ debt: z.number() }).parse((await rosa.get("/api/user/self")).body.data).debt;
      expect([await quotaOf(rosa), await owes()]).toEqual([0, 4 * unit]);
      expect((await scene.details(id)).refunds).toMatchObject([
        { quota: 10 * unit, owed: 4 * unit },
      ]);
      // The user is told twice: of the refund, and of the debt.
      const told = await gateway.db
        .selectFrom("money_notices")
        .select(["kind", "quota"])
        .where("user_id", "=", rosa.id)
        .orderBy("kind")
        .execute();
      expect(told).toEqual([
        { kind: "debt", quota: 4 * unit },
        { kind: "order_paid", quota: 10 * unit },
        { kind: "order_refunded", quota: 10 * unit },
      ]);
      await proven();

      const { order: small } = await start(rosa, 1);
      await notify(epay.callback(small, "7.30"));
      expect([await quotaOf(rosa), await owes()]).toEqual([0, 3 * unit]);
      const { order: large } = await start(rosa, 5);
      await notify(epay.callback(large, "36.50"));
      expect([await quotaOf(rosa), await owes()]).toEqual([2 * unit, 0]);
      const entries = z
        .object({
          items: z.array(z.object({ kind: z.string(), amount: z.number(), debt: z.number() })),
        })
        .parse((await rosa.get("/api/user/self/entries?page_size=2")).body.data);
      expect(entries.items).toEqual(
        [
          { kind: "debt_paid", amount: -3 * unit, debt: -3 * unit },
          { kind: "topup", amount: 5 * unit, debt: 0 },
        ].map((entry) => expect.objectContaining(entry)),
      );
      await proven();
    });

    test("root waives a debt with a reason; a refund that was refused lowers it first", async () => {
      const { gateway, epay, root, payer, start, quotaOf, notify, proven, idOf } = scene;
      const sven = await payer("sven");
      const { order } = await start(sven);
      await notify(epay.callback(order, "73.00"));
      const boss = await root();
      await boss.put("/api/user/", { id: sven.id, username: "sven", quota_delta: -3 * unit });
      const id = await idOf(order);
      const owes = async () =>
        z.object({ debt: z.number() }).parse((await sven.get("/api/user/self")).body.data).debt;
      epay.refusesRefunds = true;
      const refused = await boss.post(`/api/order/${id}/refund`, { reason: "r" });
      epay.refusesRefunds = false;
      expect(refused.body).toMatchObject({ data: { state: "refused" } });
      expect([await quotaOf(sven), await owes()]).toEqual([7 * unit, 0]);
      await boss.post(`/api/order/${id}/refund`, { reason: "r" });
      expect([await quotaOf(sven), await owes()]).toEqual([0, 3 * unit]);
      const earned = { account: "invitations", kind: "invite", userId: sven.id } as const;
      await gateway.db.transaction().execute(async (tx) => {
        const rest = { cause: "invite:9999", amount: 2 * unit, detail: "", nowMs: 0 };
        await postEarning(tx, { ...earned, ...rest });
      });
      const transfer = async () =>
        (await sven.post("/api/user/aff_transfer", { quota: unit })).body.message;
      expect(await transfer()).toBe(`账户欠费额度 ${3 * unit}，请先充值还清`);
      const waive = async (reason: string) =>
        (await boss.post(`/api/user/${sven.id}/debt/waive`, { reason })).body;
      expect(await waive(" ")).toMatchObject({ success: false, message: "请填写原因" });
      expect(await waive("a good customer")).toMatchObject({ success: true });
      expect(await waive("again")).toMatchObject({ success: false, message: "该用户没有欠费" });
      expect([await quotaOf(sven), await owes()]).toEqual([0, 0]);
      const noted = await gateway.db
        .selectFrom("audit_log")
        .select("target")
        .where("action", "=", "user.waive-debt")
        .execute();
      expect(noted).toEqual([{ target: `user:${sven.id}` }]);
      await proven();
    });

    test("ten refunds of one order at the same time give its money back once", async () => {
      const { epay, root, payer, start, quotaOf, notify, proven, idOf } = scene;
      const olga = await payer("olga");
      const { order } = await start(olga);
      await notify(epay.callback(order, "73.00"));
      const boss = await root();
      const id = await idOf(order);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => boss.post(`/api/order/${id}/refund`, { reason: "r" })),
      );
      expect(answers.filter(({ body }) => body.success).length).toBe(1);
      expect(epay.refunds.filter((each) => each.startsWith(order))).toEqual([`${order} 73.00`]);
      expect(await quotaOf(olga)).toBe(0);
      await proven();
    });

    test("the database away during a callback is not answered with success", async () => {
      const { gateway, epay, payer, start, quotaOf, notify, proven } = scene;
      const laura = await payer("laura");
      const { order } = await start(laura);
      const paid = epay.callback(order, "73.00");
      const away = await gateway.callRawWithout("payments", () => notify(paid));
      expect(away.text).toBe("fail");
      expect(away.status).toBe(500);
      expect((await notify(paid)).text).toBe("success");
      expect(await quotaOf(laura)).toBe(10 * unit);
      await proven();
    });
  });
}
