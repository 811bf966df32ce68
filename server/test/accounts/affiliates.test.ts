import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { user } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { findInviter, rewardInvitation } from "#modules/affiliates/affiliates.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const unit = 500_000;

for (const dialect of testDialects) {
  describe(`invitations on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());

    const selfOf = async (client: Client) =>
      user.parse((await client.get("/api/user/self")).body.data);
    const reward = async (inviter: Client, invitee: Client, earned: number, gift = 0) =>
      await gateway.db.transaction().execute(async (tx) => {
        await rewardInvitation(tx, {
          inviterId: inviter.id,
          inviteeId: invitee.id,
          quotaForInviter: earned,
          quotaForInvitee: gift,
          nowMs: gateway.clock.nowMs,
        });
      });

    test("A-332, A-412: an invitation is counted, pays its inviter and credits its invitee", async () => {
      const alice = await gateway.user("alice");
      const [bob, carol] = [await gateway.user("bob"), await gateway.user("carol")];
      const code = String((await alice.get("/api/user/aff")).body.data);
      expect(await findInviter(gateway.db, code)).toBe(alice.id);

      await reward(alice, bob, 700, 30);
      await reward(alice, carol, 0);
      expect(await selfOf(alice)).toMatchObject({
        aff_code: code,
        aff_count: 2,
        aff_quota: 700,
        aff_history_quota: 700,
        quota: 0,
      });
      expect(await selfOf(bob)).toMatchObject({ quota: 30, aff_count: 0, aff_history_quota: 0 });
      expect(await selfOf(carol)).toMatchObject({ quota: 0 });
      const logs = await gateway.db
        .selectFrom("logs")
        .select(["user_id", "type", "content"])
        .orderBy("id")
        .execute();
      expect(logs).toEqual([
        { user_id: bob.id, type: 4, content: "使用邀请码赠送 30" },
        { user_id: alice.id, type: 4, content: "邀请用户赠送 700" },
      ]);
      // Only the first invitation of an account earns a reward: a second one for the same invitee
      // is refused.
      await expect(reward(alice, bob, 700, 30)).rejects.toThrow();
      expect(await selfOf(alice)).toMatchObject({ aff_count: 2, aff_quota: 700 });

      await (await gateway.root()).delete(`/api/user/${alice.id}`);
      expect(await findInviter(gateway.db, code)).toBeUndefined();
      expect(await findInviter(gateway.db, "")).toBeUndefined();
    });

    test("A-145, A-146, A-413: a transfer moves at least one dollar, and at most all earnings", async () => {
      const dave = await gateway.user("dave");
      await reward(dave, await gateway.user("dave2"), 2 * unit + 7);
      const move = async (quota: unknown) =>
        (await dave.post("/api/user/aff_transfer", { quota })).body;

      for (const quota of [unit - 1, 0, -unit, 0.5, null, "x"]) {
        expect(await move(quota)).toMatchObject({ success: false });
      }
      expect((await move(unit - 1)).message).toBe("划转失败 转移额度最小为500000！");
      expect(await move(3 * unit)).toMatchObject({
        success: false,
        message: "划转失败 邀请额度不足！",
      });
      expect(await selfOf(dave)).toMatchObject({ quota: 0, aff_quota: 2 * unit + 7 });
      expect(await move(String(unit))).toMatchObject({ success: true, message: "划转成功" });
      expect(await selfOf(dave)).toMatchObject({
        quota: unit,
        aff_quota: unit + 7,
        aff_history_quota: 2 * unit + 7,
      });
    });

    test("fifty transfers at the same time move the earnings once", async () => {
      const erin = await gateway.user("erin");
      await reward(erin, await gateway.user("erin2"), 20 * unit + 3);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => erin.post("/api/user/aff_transfer", { quota: unit })),
      );

      expect(answers.filter(({ body }) => body.success === true)).toHaveLength(20);
      for (const { body } of answers.filter((answer) => answer.body.success !== true)) {
        expect(body.message).toBe("划转失败 邀请额度不足！");
      }
      expect(await selfOf(erin)).toMatchObject({ quota: 20 * unit, aff_quota: 3 });
      const moved = await gateway.db
        .selectFrom("entries")
        .select((eb) => eb.fn.sum<number>("amount").as("sum"))
        .where("user_id", "=", erin.id)
        .where("kind", "=", "aff_transfer")
        .executeTakeFirstOrThrow();
      expect(Number(moved.sum)).toBe(20 * unit);
    });
  });
}
