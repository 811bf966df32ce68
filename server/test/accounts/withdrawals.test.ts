import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { type AgentScene, dayMs, openAgentScene, unit } from "./agent-scene.ts";
import type { Client } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`the purse and withdrawals on ${dialect}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      scene = await openAgentScene(dialect);
    });
    afterAll(async () => await scene.close());

    /** Makes an agent with this much in the purse. */
    async function earner(name: string, quota: number): Promise<Client> {
      const client = await scene.agent(name);
      const invitee = await scene.invitee(`${name}2`, client);
      await scene.pay(invitee, 10 * quota);
      await scene.spend(invitee, 10 * quota);
      await scene.nextDay();
      return await scene.again(client);
    }
    const withdraw = async (client: Client, quota: unknown, payee: unknown = "alipay: me") =>
      (await client.post("/api/user/agent/withdraw", { quota, payee })).body;
    const end = async (id: number, how: "pay" | "reject", note = "by hand") =>
      (await (await scene.root()).post(`/api/agent/withdrawals/${id}/${how}`, { note })).body;
    const newest = async () => {
      const [row] = await scene.withdrawals();
      if (row === undefined) throw new Error("there is no withdrawal");
      return row;
    };

    test("O-596, O-597, A-032, A-033: an agent asks, root pays with a note, and the purse tells it", async () => {
      const ada = await earner("ada", 3 * unit + 1);
      for (const quota of [0, -1, 1.5, "x", null, unit - 1]) {
        expect(await withdraw(ada, quota)).toMatchObject({ success: false });
      }
      expect(await withdraw(ada, unit - 1)).toMatchObject({
        message: `提现额度不能小于 ${unit}`,
      });
      expect(await withdraw(ada, unit, " ")).toMatchObject({ message: "请填写收款方式" });
      const owing = async (debt: number) => {
        const balance = scene.db.updateTable("balances").set({ debt });
        await balance.where("user_id", "=", ada.id).execute();
      };
      await owing(7);
      const owed = { success: false, message: "账户欠费额度 7，请先充值还清" };
      expect(await withdraw(ada, unit)).toMatchObject(owed);
      const move = await ada.post("/api/user/agent/transfer", { quota: unit });
      expect(move.body).toMatchObject(owed);
      await owing(0);
      expect(await withdraw(ada, 3 * unit + 2)).toMatchObject({ message: "可提现额度不足" });
      // 2.000002 dollars at 7.3 yuan are 14.6000146 yuan: rounded down to the cent.
      expect(await withdraw(ada, 2 * unit + 1)).toMatchObject({
        success: true,
        data: { quota: 2 * unit + 1, money: 1_460, currency: "cny", state: "requested" },
      });
      expect(await withdraw(ada, unit)).toMatchObject({ message: "已有待处理的提现申请" });
      expect(await scene.infoOf(ada)).toMatchObject({ balance: unit, requested: 2 * unit + 1 });
      const { id } = await newest();
      expect(await end(id, "pay", "")).toMatchObject({ success: false });
      expect(await end(id, "pay", "transfer 77")).toMatchObject({ success: true });
      expect(await end(id, "pay")).toMatchObject({ success: false, message: "该提现申请已处理" });
      expect(await end(id, "reject")).toMatchObject({ success: false });
      expect(await newest()).toMatchObject({
        username: "ada",
        state: "paid",
        note: "transfer 77",
        payee: "alipay: me",
      });
      expect(await scene.infoOf(ada)).toMatchObject({
        balance: unit,
        requested: 0,
        earned: 3 * unit + 1,
        paid_out: 2 * unit + 1,
        paid_money: 1_460,
      });
      expect(await withdraw(ada, unit)).toMatchObject({ success: true });
      expect(await end((await newest()).id, "reject", "wrong account")).toMatchObject({
        success: true,
      });
      expect(await scene.infoOf(ada)).toMatchObject({ balance: unit, requested: 0 });
      const kinds = (await scene.purseOf(ada)).map(({ kind, about }) => `${kind} ${about}`);
      expect(kinds.slice(0, 4)).toEqual([
        `withdrawal_rejected #${(await newest()).id}`,
        `withdrawal #${(await newest()).id}`,
        `withdrawal_paid #${id}`,
        `withdrawal #${id}`,
      ]);
      expect(await scene.flaw()).toBeNull();
    });

    test("money-rules §2: nothing is paid out to whoever has come into debt; rejected, it pays the debt first", async () => {
      const eli = await earner("eli", 3 * unit);
      const owes = async () =>
        z.object({ debt: z.number() }).parse((await eli.get("/api/user/self")).body.data).debt;
      await withdraw(eli, 2 * unit);
      const { id } = await newest();
      await scene.owe(eli, 1);
      expect(await newest()).toMatchObject({ id, state: "requested", debt: unit });
      expect(await end(id, "pay")).toMatchObject({
        success: false,
        message: `该用户欠费额度 ${unit}，不能打款；拒绝后，额度将先偿还欠费`,
      });
      expect(await newest()).toMatchObject({ id, state: "requested" });
      expect(await scene.infoOf(eli)).toMatchObject({ balance: unit, requested: 2 * unit });
      expect(await end(id, "reject")).toMatchObject({ success: true });
      expect([await owes(), await scene.quotaOf(eli)]).toEqual([0, 0]);
      expect(await scene.infoOf(eli)).toMatchObject({ balance: 2 * unit, requested: 0 });
      expect((await scene.purseOf(eli)).slice(0, 2)).toMatchObject([
        { kind: "transfer", amount: -unit },
        { kind: "withdrawal_rejected", amount: 2 * unit },
      ]);
      // A debt that is larger than the withdrawal takes all of it, and the purse's rest stays.
      await withdraw(eli, unit);
      await scene.owe(eli, 3);
      const next = (await newest()).id;
      expect(await end(next, "reject")).toMatchObject({ success: true });
      expect([await owes(), await scene.quotaOf(eli)]).toEqual([2 * unit, 0]);
      expect(await scene.infoOf(eli)).toMatchObject({ balance: unit, requested: 0 });
      const told = await scene.db
        .selectFrom("money_notices")
        .select(["kind", "quota", "money"])
        .where("user_id", "=", eli.id)
        .execute();
      expect(told).toContainEqual({
        kind: "withdrawal_rejected",
        quota: 2 * unit,
        money: "14.60 CNY",
      });
      expect(await scene.flaw()).toBeNull();
    });

    test("withdrawals and transfers at once never take more than the purse has", async () => {
      const bob = await earner("bob", 5 * unit);
      const moves = Array.from({ length: 40 }, (_, at) =>
        at % 2 === 0
          ? withdraw(bob, 2 * unit)
          : bob.post("/api/user/agent/transfer", { quota: unit }).then((answer) => answer.body),
      );
      const done = (await Promise.all(moves)).filter(({ success }) => success === true);
      const info = await scene.infoOf(bob);
      const moved = await scene.quotaOf(bob);
      expect(info.balance + info.requested + moved).toBe(5 * unit);
      expect(done.length).toBeGreaterThan(2);
      expect([0, 2 * unit]).toContain(info.requested);
      expect(await scene.flaw()).toBeNull();
    });

    test("a withdrawal that races the spending, the refund and the day it stands on takes what was earned", async () => {
      const ivo = await earner("ivo", 4 * unit);
      const buyer = await scene.invitee("buyer", ivo);
      const kept = await scene.buy(buyer, 20);
      const returned = await scene.buy(buyer, 20);
      await scene.spend(buyer, 15 * unit);
      scene.clock.nowMs = (Math.floor(scene.clock.nowMs / dayMs) + 1) * dayMs + 30 * 60_000;
      const agent = await scene.again(ivo);
      const boss = await scene.root();
      const refund = `/api/order/${await scene.payments.idOf(returned)}/refund`;
      const { id } = await scene.db
        .selectFrom("withdrawals")
        .select((eb) => eb.fn.coalesce(eb.fn.max("id"), eb.lit(0)).as("id"))
        .executeTakeFirstOrThrow();
      const races = Array.from({ length: 8 }, (_, at) => [
        withdraw(agent, 5 * unit),
        withdraw(agent, unit),
        ...(at % 4 === 0 ? [agent.post("/api/user/agent/transfer", { quota: unit })] : []),
        scene.runJob("dividends"),
        scene.spend(buyer, unit / 10),
        boss.post(refund, { money: 100, reason: "part" }),
        end(id + 1 + at, at % 2 === 0 ? "reject" : "pay"),
      ]);
      await Promise.all(races.flat());
      await scene.runJob("dividends");
      // Whatever has won, what is left is asked for and paid out.
      await withdraw(agent, unit);
      const open = (await scene.withdrawals()).find(({ state }) => state === "requested");
      if (open !== undefined) expect(await end(open.id, "pay")).toMatchObject({ success: true });
      const info = await scene.infoOf(agent);
      const moved = await scene.quotaOf(agent);
      // 15 dollars were spent in the day that is over, of 40 that were paid and partly returned.
      expect(info.earned).toBe(4 * unit + 1.5 * unit);
      expect(info.balance + info.requested + info.paid_out + moved).toBe(info.earned);
      expect(info.paid_out).toBeGreaterThan(0);
      expect(kept).not.toBe(returned);
      expect(await scene.flaw()).toBeNull();
    });

    test("root's answers at once end a withdrawal once", async () => {
      const cat = await earner("cat", 2 * unit);
      await withdraw(cat, unit);
      const { id } = await newest();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => end(id, at % 2 === 0 ? "pay" : "reject")),
      );
      expect(answers.filter(({ success }) => success === true)).toHaveLength(1);
      const { state } = await newest();
      const info = await scene.infoOf(cat);
      expect([info.balance, info.requested]).toEqual([state === "paid" ? unit : 2 * unit, 0]);
      expect(await scene.flaw()).toBeNull();
    });

    test("a suspended agent keeps the purse, and cannot ask for a payout", async () => {
      const dan = await earner("dan", unit);
      await (await scene.root()).put("/api/agent/", { id: dan.id, state: "suspended" });
      expect(await withdraw(dan, unit)).toMatchObject({ success: false, message: "您还不是代理" });
      expect(await scene.infoOf(dan)).toMatchObject({ state: "suspended", balance: unit });
    });
  });
}
