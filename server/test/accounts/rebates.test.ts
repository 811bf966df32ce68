import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listOwnEarnings } from "@tollgate/contract/endpoints/agents.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { transferEarnings } from "#modules/affiliates/affiliates.ts";
import type { Client } from "./open-console.ts";
import { openPaymentScene, type PaymentScene, unit } from "./payment-scene.ts";

const figures = z.object({ aff_quota: z.number(), aff_history_quota: z.number() });

for (const dialect of testDialects) {
  describe(`rebates on top-ups on ${dialect}`, () => {
    let scene: PaymentScene;
    beforeAll(async () => {
      scene = await openPaymentScene(dialect);
    });
    afterAll(async () => await scene.close());

    const rate = { TopUpRebatePercent: "12.5" };
    /** Has a user pay an order of one dollar; returns the order's number. */
    const topUp = async (client: Client): Promise<string> => {
      const { order } = await scene.start(client, 1);
      await scene.notify(scene.epay.callback(order, "7.30"));
      return order;
    };
    const figuresOf = async (client: Client) =>
      figures.parse((await client.get("/api/user/self")).body.data);
    const recordsOf = async (client: Client) =>
      listOwnEarnings.output.parse((await client.get("/api/user/aff/earnings")).body.data).items;
    const refund = async (order: string, money: number) =>
      (
        await (
          await scene.root()
        ).post(`/api/order/${await scene.idOf(order)}/refund`, { money, reason: "asked for it" })
      ).body;

    test("O-381: an inviter earns a share of what an invitee pays, once, if root wants it", async () => {
      const anna = await scene.payer("anna");
      const ben = await scene.invitee("ben", anna);
      await topUp(ben);
      expect(await figuresOf(anna)).toEqual({ aff_quota: 0, aff_history_quota: 0 });
      scene.configure(rate);
      const { order } = await scene.start(ben, 1);
      const paid = scene.epay.callback(order, "7.30");
      await Promise.all(Array.from({ length: 10 }, () => scene.notify(paid)));
      expect(await figuresOf(anna)).toEqual({ aff_quota: 62_500, aff_history_quota: 62_500 });
      expect(await recordsOf(anna)).toMatchObject([
        { kind: "rebate", amount: 62_500, balance_after: 62_500, about: order },
      ]);
      // An order of nobody's invitee, and one by hand.
      await topUp(anna);
      const byHand = await scene.start(ben, 1);
      await (
        await scene.root()
      ).post(`/api/order/${await scene.idOf(byHand.order)}/settle`, {
        reason: "seen on the statement",
      });
      expect(await figuresOf(anna)).toEqual({ aff_quota: 125_000, aff_history_quota: 125_000 });
      scene.configure();
      await scene.proven();
    });

    test("a refund takes the same share back, at most what is there, and a refused one returns it", async () => {
      scene.configure(rate);
      const carl = await scene.payer("carl");
      const dana = await scene.invitee("dana", carl);
      const order = await topUp(dana);
      expect(await refund(order, 365)).toMatchObject({ success: true });
      expect(await figuresOf(carl)).toEqual({ aff_quota: 31_250, aff_history_quota: 31_250 });
      scene.epay.refusesRefunds = true;
      await refund(order, 365);
      scene.epay.refusesRefunds = false;
      expect(await figuresOf(carl)).toEqual({ aff_quota: 31_250, aff_history_quota: 31_250 });
      expect((await recordsOf(carl)).map(({ kind, amount }) => [kind, amount])).toEqual([
        ["rebate_restored", 31_250],
        ["rebate_back", -31_250],
        ["rebate_back", -31_250],
        ["rebate", 62_500],
      ]);
      // Nothing is taken that was moved to the balance already.
      await scene.gateway.db.transaction().execute(async (tx) => {
        await transferEarnings(tx, {
          account: "invitations",
          userId: carl.id,
          amount: 31_000,
          requestId: "moved",
          nowMs: scene.gateway.clock.nowMs,
          tooLittle: "",
        });
      });
      expect(await refund(order, 365)).toMatchObject({ success: true });
      expect(await figuresOf(carl)).toEqual({ aff_quota: 0, aff_history_quota: 31_000 });
      scene.configure();
      await scene.proven();
    });

    test("after a refused refund, the next one takes its own share of the rebate alone", async () => {
      scene.configure(rate);
      const kim = await scene.payer("kim");
      const order = await topUp(await scene.invitee("leo", kim));
      scene.epay.refusesRefunds = true;
      await refund(order, 1);
      scene.epay.refusesRefunds = false;
      expect(await figuresOf(kim)).toMatchObject({ aff_quota: 62_500 });
      // A cent is 685 units, whose share is 85.6; of two cents it is 171.3.
      expect(await refund(order, 1)).toMatchObject({ success: true });
      expect(await figuresOf(kim)).toMatchObject({ aff_quota: 62_500 - 85 });
      scene.configure();
      await scene.proven();
    });

    test("agents and disabled inviters get no rebate", async () => {
      scene.configure({ ...rate, AgentsEnabled: "true", AgentApprovalRequired: "false" });
      const emma = await scene.payer("emma");
      await emma.post("/api/user/agent/join");
      await topUp(await scene.invitee("finn", emma));
      expect(await figuresOf(emma)).toEqual({ aff_quota: 0, aff_history_quota: 0 });
      const gina = await scene.payer("gina");
      const hugo = await scene.invitee("hugo", gina);
      await (await scene.root()).post("/api/user/manage", { id: gina.id, action: "disable" });
      await topUp(hugo);
      expect(
        await scene.gateway.db
          .selectFrom("earning_entries")
          .select("seq")
          .where("user_id", "in", [emma.id, gina.id])
          .execute(),
      ).toEqual([]);
      scene.configure();
      await scene.proven();
    });

    test("a refunded order no longer counts for an agent's dividend", async () => {
      scene.configure({
        AgentsEnabled: "true",
        AgentApprovalRequired: "false",
        AgentDividendPercent: "10",
      });
      const { gateway } = scene;
      const iris = await scene.payer("iris");
      await iris.post("/api/user/agent/join");
      const jack = await scene.invitee("jack", iris);
      const kept = await topUp(jack);
      const returned = await topUp(jack);
      await refund(returned, 730);
      await scene.spent(jack, 2 * unit);
      gateway.clock.nowMs += 86_400_000;
      await gateway.runJob("dividends");
      const rows = await gateway.db.selectFrom("dividends").selectAll().execute();
      expect([
        kept === returned,
        rows.map(({ spent, paid, dividend }) => [spent, paid, dividend]),
      ]).toEqual([false, [[2 * unit, unit, unit / 10]]]);
    });
  });
}
