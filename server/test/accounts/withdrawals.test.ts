import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { testDialects } from "#db/testing/database.ts";
import { proveLedger } from "#modules/ledger/proof/proof.ts";
import { type AgentScene, openAgentScene, unit } from "./agent-scene.ts";
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

    test("P-M12: the audit names an altered purse, dividend, withdrawal or count", async () => {
      const tables = {
        agent_invitees: ["counted"],
        dividends: ["agent_id", "base", "created_at", "dividend", "paid", "rate_bp", "spent"],
        earning_entries: [
          "amount",
          "balance_after",
          "cause",
          "created_at",
          "detail",
          "hash",
          "kind",
          "requested",
          "requested_after",
          "user_id",
        ],
        earnings: ["balance", "earned", "entry_count", "head_hash", "requested"],
        withdrawals: [
          "created_at",
          "currency",
          "ended_at",
          "ended_by",
          "money",
          "note",
          "payee",
          "price",
          "quota",
          "quota_per_unit",
          "state",
          "user_id",
        ],
      } as const;
      class Undone extends Error {}
      const { db } = scene;
      const flawAfter = async (change: string) => {
        let found: string | undefined;
        const changed = db.transaction().execute(async (tx) => {
          await sql.raw(change).execute(tx);
          const { flaw } = await proveLedger(tx);
          found = flaw?.check;
          throw new Undone();
        });
        await expect(changed).rejects.toBeInstanceOf(Undone);
        return found;
      };
      const texts = new Set(["cause", "currency", "detail", "hash", "head_hash", "kind", "note"]);
      for (const more of ["payee", "price", "quota_per_unit", "state"]) texts.add(more);
      for (const [table, columns] of Object.entries(tables)) {
        const rows = table === "earnings" ? "where entry_count > 1" : "";
        for (const column of columns) {
          const value = texts.has(column) ? `${column} || '0'` : `${column} + 1`;
          const change = `update ${table} set ${column} = ${value} ${rows}`;
          expect([change, await flawAfter(change)]).toEqual([change, "T11"]);
        }
        const removal = `delete from ${table} ${rows}`;
        expect([removal, await flawAfter(removal)]).toEqual([removal, "T11"]);
      }
    });
  });
}
