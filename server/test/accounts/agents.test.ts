import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { openBalance } from "#modules/ledger/ledger.ts";
import { type AgentScene, dayMs, openAgentScene } from "./agent-scene.ts";
import type { Client } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`agents on ${dialect}`, () => {
    let scene: AgentScene;
    beforeAll(async () => {
      scene = await openAgentScene(dialect);
    });
    afterAll(async () => await scene.close());

    test("O-593, A-030: a user joins while root lets users join, and root approves", async () => {
      const { configure, user, root, infoOf } = scene;
      const ann = await user("ann");
      configure({ AgentsEnabled: "false" });
      expect((await ann.post("/api/user/agent/join")).body).toMatchObject({
        success: false,
        message: "管理员未开启代理计划",
      });
      configure();
      expect(await infoOf(ann)).toMatchObject({ state: "none", enabled: true, rate_bp: 1_000 });
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => ann.post("/api/user/agent/join")),
      );
      expect(answers.filter(({ body }) => body.success === true)).toHaveLength(1);
      expect(await infoOf(ann)).toMatchObject({ state: "requested", invitees: 0 });
      const change = async (body: object) =>
        (await (await root()).put("/api/agent/", { id: ann.id, ...body })).body;
      expect(await change({ state: "suspended" })).toMatchObject({ success: false });
      expect(await change({ state: "rejected" })).toMatchObject({ success: true });
      expect((await ann.post("/api/user/agent/join")).body).toMatchObject({ success: true });
      expect(await change({ state: "approved", rate_bp: 1_250 })).toMatchObject({ success: true });
      expect(await change({ rate_bp: 10_001 })).toMatchObject({ success: false });
      expect(await infoOf(ann)).toMatchObject({ state: "approved", rate_bp: 1_250 });
      configure({ AgentApprovalRequired: "false" });
      const bea = await user("bea");
      await bea.post("/api/user/agent/join");
      expect(await infoOf(bea)).toMatchObject({ state: "approved", approval: false });
      configure();
      const notes = (await (await root()).get("/api/audit/?action=agent.update")).body.data;
      expect(z.object({ total: z.number() }).parse(notes).total).toBe(2);
    });

    test("O-594, O-595, A-031: a day pays a share of what an invitee both paid for and spent", async () => {
      const { invitee, pay, spend, nextDay, again, flaw } = scene;
      const { dividendsOf, infoOf, purseOf, db, clock } = scene;
      const owner = await scene.user("early");
      const ivy = await invitee("ivy", owner);
      // Before the approval, in the hour of it: neither counts.
      await pay(ivy, 5_000);
      await spend(ivy, 5_000);
      clock.nowMs += 1_000;
      expect((await owner.post("/api/user/agent/join")).body).toMatchObject({ success: true });
      await (await scene.root()).put("/api/agent/", { id: owner.id, state: "approved" });
      await pay(ivy, 3_000);
      await spend(ivy, 1_009);
      // A gift may be spent, but nobody paid for it.
      const gifted = await invitee("gifted", owner);
      const gift = { id: gifted.id, quota_delta: 9_000, quota_version: 0 };
      expect((await (await scene.root()).put("/api/user/", gift)).body).toMatchObject({
        success: true,
      });
      await spend(gifted, 9_000);
      await nextDay();
      let boss = await again(owner);
      expect(await dividendsOf(boss)).toMatchObject([
        { invitee_id: ivy.id, invitee: "i•••y", base: 1_009, rate_bp: 1_000, dividend: 100 },
      ]);
      const seen = await (await scene.root()).get(`/api/agent/${owner.id}/dividends`);
      expect(seen.body.data).toMatchObject({ items: [{ invitee_id: ivy.id, invitee: "ivy" }] });
      expect(await infoOf(boss)).toMatchObject({ invitees: 2, balance: 100, earned: 100 });
      expect(await purseOf(boss)).toMatchObject([
        { seq: 1, kind: "dividend", amount: 100, balance_after: 100 },
      ]);
      // The same day once more, and a day in which nothing happened.
      await scene.runJob("dividends");
      await nextDay();
      const told = db.selectFrom("money_notices").select(["kind", "quota", "money"]);
      expect(await told.where("user_id", "=", owner.id).execute()).toEqual([
        { kind: "dividend", quota: 100, money: "" },
      ]);
      // 4 units are too little for a unit of dividend; they count with what follows.
      await spend(ivy, 4);
      await nextDay();
      boss = await again(owner);
      expect(await dividendsOf(boss)).toHaveLength(1);
      // 5,000 more were spent, but only 3,000 were paid for since the approval.
      await pay(ivy, 987);
      await spend(ivy, 2_974);
      await nextDay();
      boss = await again(owner);
      expect(await dividendsOf(boss)).toMatchObject([
        { base: 2_978, dividend: 297 },
        { base: 1_009, dividend: 100 },
      ]);
      const sums = await db.selectFrom("dividends").select(["spent", "paid"]).execute();
      expect(sums).toContainEqual({ spent: 3_987, paid: 3_987 });
      expect(await flaw()).toBeNull();
    });

    test("a disabled, suspended or deleted agent earns nothing, also not later", async () => {
      const { agent, invitee, pay, spend, nextDay, root, again } = scene;
      const [cora, dora, erna] = [await agent("cora"), await agent("dora"), await agent("erna")];
      const people: Client[] = [];
      for (const [at, owner] of [cora, dora, erna].entries()) {
        const one = await invitee(`invitee${at}`, owner);
        people.push(one);
        await pay(one, 10_000);
        await spend(one, 1_000);
      }
      await (await root()).post("/api/user/manage", { id: cora.id, action: "disable" });
      await (await root()).put("/api/agent/", { id: dora.id, state: "suspended" });
      await (await root()).delete(`/api/user/${erna.id}`);
      await nextDay();
      await (await root()).post("/api/user/manage", { id: cora.id, action: "enable" });
      await (await root()).put("/api/agent/", { id: dora.id, state: "approved" });
      for (const one of people) await spend(one, 500);
      await nextDay();
      for (const owner of [cora, dora]) {
        expect(await scene.dividendsOf(await again(owner))).toMatchObject([
          { base: 500, dividend: 50 },
        ]);
      }
      scene.configure({ AgentsEnabled: "false" });
      for (const one of people) await spend(one, 700);
      await nextDay();
      scene.configure();
      await nextDay();
      expect(await scene.infoOf(await again(cora))).toMatchObject({ earned: 50 });
      expect(
        await scene.db.selectFrom("earnings").selectAll().where("user_id", "=", erna.id).execute(),
      ).toEqual([]);
      expect(await scene.flaw()).toBeNull();
    });

    test("two nodes at once, and one that died in the middle of a day, pay each invitee once", async () => {
      const { agent, invitee, pay, spend, stores, clock, db, again } = scene;
      const hal = await agent("hal");
      const first = await invitee("first", hal);
      await pay(first, 1_500);
      await spend(first, 1_000);
      // More invitees than one transaction pays.
      const { id: _id, ...like } = await db
        .selectFrom("users")
        .selectAll()
        .where("id", "=", first.id)
        .executeTakeFirstOrThrow();
      for (let at = 0; at < 120; at += 1) {
        const username = `many${at}`;
        const { id } = await db
          .insertInto("users")
          .values({ ...like, username, username_key: username, aff_code: username })
          .returning("id")
          .executeTakeFirstOrThrow();
        await openBalance(db, id);
      }
      const last = await invitee("last", hal);
      await pay(last, 2_000);
      await spend(last, 2_000);
      clock.nowMs = (Math.floor(clock.nowMs / dayMs) + 1) * dayMs + 30 * 60_000;
      const day = Math.floor(clock.nowMs / dayMs) - 1;
      const run = { day, by: "a node that dies", nowMs: clock.nowMs };
      expect(await stores.agents.claimDay(run)).toBe(true);
      const rates = { rateBp: 1_000, enabled: true };
      const page = await stores.agents.payDividends({ ...run, ...rates, after: 0 });
      expect(page).toMatchObject({ dividends: 1, quota: 100 });
      // While the claim stands, no other node takes the day.
      await scene.runJob("dividends");
      expect(await scene.infoOf(await again(hal))).toMatchObject({ earned: 100 });
      // A call of that day is settled late.
      clock.nowMs -= 3_600_000;
      await spend(first, 500);
      clock.nowMs += 3_600_000;
      // The claim has ended, and another node has the day.
      clock.nowMs += 61_000;
      expect(await stores.agents.claimDay({ ...run, by: "another", nowMs: clock.nowMs })).toBe(
        true,
      );
      expect(await stores.agents.payDividends({ ...run, ...rates, after: 0 })).toBeUndefined();
      clock.nowMs += 61_000;
      await Promise.all([1, 2, 3, 4].map(async () => await scene.runJob("dividends")));
      await scene.runJob("dividends");
      expect(await scene.infoOf(await again(hal))).toMatchObject({ earned: 300 });
      // The first node comes back to a day that is closed.
      expect(await stores.agents.claimDay({ ...run, nowMs: clock.nowMs + 61_000 })).toBe(false);
      expect(await stores.agents.payDividends({ ...run, ...rates, after: 0 })).toBeUndefined();
      const rows = await db
        .selectFrom("dividends")
        .select(["invitee_id", "dividend"])
        .where("agent_id", "=", hal.id)
        .orderBy("invitee_id")
        .execute();
      expect(rows).toEqual([
        { invitee_id: first.id, dividend: 100 },
        { invitee_id: last.id, dividend: 200 },
      ]);
      // What was settled late counts with the next day.
      await scene.nextDay();
      expect(await scene.infoOf(await again(hal))).toMatchObject({ earned: 350 });
      expect(await scene.flaw()).toBeNull();
    });
  });
}
