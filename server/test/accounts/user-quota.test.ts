import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminUser, role } from "@tollgate/contract/endpoints/users.ts";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { userStore } from "#modules/users/users.store.ts";
import { type Answer, openTestConsole, type TestConsole } from "./open-console.ts";

for (const dialect of testDialects) {
  describe(`user quota on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());

    const read = async (id: number) =>
      adminUser.parse((await (await gateway.root()).get(`/api/user/${id}`)).body.data);
    const put = async (body: object): Promise<Answer> =>
      await (await gateway.root()).put("/api/user/", body);
    let credits = 0;
    /** Adds quota to a user, as a redeemed code would, while root has the user's form open. */
    const credit = async (userId: number, amount: number): Promise<void> => {
      credits += 1;
      await gateway.db.transaction().execute(async (tx) => {
        const cause = `redeem:${credits}`;
        await postEntry(tx, { cause, kind: "redeem", userId, amount, detail: "", nowMs: 0 });
      });
    };
    /** Charges a call, as the ledger does. */
    const spend = async (userId: number, amount: number): Promise<void> => {
      const { db } = gateway;
      await credit(userId, -amount);
      await db
        .updateTable("balances")
        .set((eb) => ({ used: eb("used", "+", amount) }))
        .where("user_id", "=", userId)
        .execute();
      const { used } = await db
        .selectFrom("balances")
        .select("used")
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      await db
        .updateTable("entries")
        .set({ used_after: used })
        .where("cause", "=", `redeem:${credits}`)
        .execute();
      await db
        .insertInto("counters")
        .values({
          kind: "user",
          id: userId,
          used_quota: used,
          request_count: 1,
          prompt_tokens: 0,
          completion_tokens: 0,
        })
        .onConflict((conflict) =>
          conflict.columns(["kind", "id"]).doUpdateSet({ used_quota: used }),
        )
        .execute();
    };

    test("A-246, A-247, O-615, O-616: quota is added and subtracted, and never falls below 0", async () => {
      const { id } = await gateway.user("alice");
      expect((await put({ ...(await read(id)), quota: 500 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 500 });
      expect((await put({ ...(await read(id)), quota: 400 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 400 });
      for (const wish of [{ quota: -200 }, { quota_delta: -401 }]) {
        expect((await put({ id, ...wish })).body.message).toBe("剩余额度不能小于0");
      }
      expect((await put({ id, quota_delta: -400 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 0 });
      expect(await gateway.db.selectFrom("logs").select(["type", "content"]).execute()).toEqual([
        { type: 3, content: "管理员将用户额度从 0修改为 500" },
        { type: 3, content: "管理员将用户额度从 500修改为 400" },
        { type: 3, content: "管理员将用户额度从 400修改为 0" },
      ]);
    });

    // P-M5: a form that was open for a while overwrites no change of the balance.
    test("saving a form does not undo what was spent or credited while it was open", async () => {
      const { id } = await gateway.user("bob");
      await put({ id, quota: 1_000 });
      const seen = await read(id);
      await spend(id, 300);
      await credit(id, 50);

      expect((await put({ ...seen, group: "vip" })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 750, group: "vip" });
      expect((await put({ ...seen, quota: seen.quota + 100 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 850 });
      // 1,000 was the balance at an earlier time, but this form was read at 850, so root enters
      // 1,000 as a new value.
      expect((await put({ ...(await read(id)), quota: 1_000 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 1_000 });
    });

    test("used_quota alone tells which balance the console saw; an ambiguous one is refused", async () => {
      const { id } = await gateway.user("carol");
      await put({ id, quota: 1_000 });
      await spend(id, 100);
      const { used_quota } = await read(id);
      await spend(id, 50);

      // The balance was 900 when 100 were used, and no other balance had that `used_quota`. So 900
      // is the balance that the console saw, and sending it back changes nothing.
      expect((await put({ id, used_quota, quota: 900 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 850 });
      expect((await put({ id, used_quota, quota: 1_000 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 950 });
      // `used_quota` is still the same, so the console saw the current balance, and 10 replaces it.
      expect((await put({ id, used_quota: 150, quota: 10 })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 10 });
      // While nothing was used, the balance was first 0 and then 1,000, so it is unknown which one
      // the console saw.
      expect(await put({ id, used_quota: 0, quota: 500 })).toMatchObject({
        status: 200,
        body: { success: false, message: "用户数据已变化，请刷新后重试" },
      });
      expect((await put({ id, quota: 20, quota_version: 10_000 })).body.success).toBe(false);
      expect(await read(id)).toMatchObject({ quota: 10 });
    });

    test("a change of quota is refused when the balance moved after it was read", async () => {
      const { id } = await gateway.user("grace");
      await put({ id, quota: 100 });
      const root = await gateway.root();
      const actor = { userId: root.id, username: "root", clientIp: "" };
      const by = { actor, role: role.enum.root, requestId: "twice", nowMs: gateway.clock.nowMs };
      const store = bindStore(userStore, gateway.db);
      const edit = { id, groups: [], reason: "", wish: { quota: 150, quota_version: 1 } };

      await expect(store.editUser({ ...edit, delta: 49 }, by)).rejects.toMatchObject({
        code: "stale",
      });
      await store.editUser({ ...edit, delta: 50 }, by);
      expect(await read(id)).toMatchObject({ quota: 150 });
      // A repeated request with the same base does not add its quota again.
      const again = { ...edit, wish: { quota_delta: 50 }, delta: 50 };
      await expect(store.editUser(again, by)).rejects.toThrow();
      expect(await read(id)).toMatchObject({ quota: 150 });
    });

    test("a body with a missing, empty or non-numeric quota changes no balance", async () => {
      const { id } = await gateway.user("dave");
      await put({ id, quota: 700 });
      for (const wish of [{}, { quota: "" }, { quota: null }]) {
        expect((await put({ id, display_name: "D", ...wish })).body.success).toBe(true);
      }
      for (const quota of [1.5, "1e3", "x", [], true, 2 ** 53]) {
        expect((await put({ id, quota })).body.success).toBe(false);
      }
      expect(await read(id)).toMatchObject({ quota: 700, display_name: "D" });
      expect((await put({ id, quota: "800" })).body.success).toBe(true);
      expect(await read(id)).toMatchObject({ quota: 800 });
    });

    test("a group that does not exist is refused, unless the user is already in it", async () => {
      const { id } = await gateway.user("erin");
      expect((await put({ id, group: "nowhere" })).body.message).toBe("分组不存在：nowhere");
      gateway.groups.names = ["vip"];
      expect((await put({ ...(await read(id)), display_name: "E" })).body.success).toBe(true);
      expect((await put({ id, group: "vip" })).body.success).toBe(true);
      gateway.groups.names = ["default", "vip"];
      expect(await read(id)).toMatchObject({ group: "vip", display_name: "E" });
    });

    test("A-248 to A-250, A-339: admins see the usage of 1, 7 and 30 days, and its share", async () => {
      const { id } = await gateway.user("frank");
      gateway.clock.nowMs += 3_600_000; // The server caches the sums of all users for an hour.
      const now = Math.floor(gateway.clock.nowMs / 3_600_000) * 3_600;
      const used = async (userId: number, hoursAgo: number, quota: number) =>
        await gateway.db
          .insertInto("usage_hours")
          .values({
            hour: now - hoursAgo * 3_600,
            user_id: userId,
            token_id: 0,
            channel_id: 0,
            model_name: "m",
            group: "default",
            quota,
            request_count: 1,
            prompt_tokens: 0,
            completion_tokens: 0,
          })
          .execute();
      await used(id, 0, 10);
      await used(id, 23, 20);
      await used(id, 24, 100);
      await used(id, 7 * 24 - 1, 200);
      await used(id, 7 * 24, 1_000);
      await used(id, 30 * 24, 9_999);
      await used(999, 1, 70);

      expect(await read(id)).toMatchObject({
        one_day: 30,
        one_week: 330,
        one_month: 1_330,
        one_day_ratio: 0.3,
        one_week_ratio: 0.825,
        one_month_ratio: 0.95,
        last_use_time: 0,
        create_time: gateway.clock.nowMs / 1_000 - 3_600,
      });
    });
  });
}
