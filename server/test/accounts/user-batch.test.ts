import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { entry } from "@tollgate/contract/endpoints/entries.ts";
import { userBatchMax } from "@tollgate/contract/endpoints/user-admin.ts";
import { adminUser, role } from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const entries = z.object({
  items: z.array(entry),
  page: z.number(),
  page_size: z.number(),
  total: z.number(),
});

for (const dialect of testDialects) {
  describe(`user batches and quota history on ${dialect}`, () => {
    let gateway: TestConsole;
    let root: Client;
    let admin: Client;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      root = await gateway.root();
      admin = await gateway.user("admin", role.enum.admin);
    });
    afterAll(async () => await gateway.close());

    const rowOf = async (id: number) =>
      adminUser.parse((await root.get(`/api/user/${id}`)).body.data);
    const entriesOf = async (client: Client, path: string) =>
      entries.parse((await client.get(path)).body.data);
    const done = (id: number) => ({ id, success: true, message: "" });
    const refused = (id: number, message: string) => ({ id, success: false, message });
    const notHigher = "无权更新同权限等级或更高权限等级的用户信息";

    test("A-255, A-256, A-260: a batch switches users below the caller, others get a reason", async () => {
      const one = await gateway.user("one");
      const two = await gateway.user("two");
      const peer = await gateway.user("peer", role.enum.admin);
      await gateway.db.updateTable("users").set({ status: 3 }).where("id", "=", two.id).execute();
      const ids = [two.id, peer.id, one.id, root.id, 999_999];

      const disabled = await admin.post("/api/user/batch/status", { ids, status: 2 });
      expect(disabled.body.data).toEqual([
        done(two.id),
        refused(peer.id, notHigher),
        done(one.id),
        refused(root.id, notHigher),
        refused(999_999, "用户不存在"),
      ]);
      // P-A5: disabling users in a batch ends their sessions, as disabling a single user does.
      expect((await one.get("/api/user/self")).status).toBe(401);
      expect((await peer.get("/api/user/self")).status).toBe(200);
      expect(await rowOf(one.id)).toMatchObject({ status: 2 });

      const enabled = await admin.post("/api/user/batch/status", { ids, status: 1 });
      expect(enabled.body.data).toMatchObject([
        refused(two.id, "该用户无法被启用"),
        refused(peer.id, notHigher),
        done(one.id),
        { success: false },
        { success: false },
      ]);
      expect(await rowOf(one.id)).toMatchObject({ status: 1 });
      expect(await rowOf(two.id)).toMatchObject({ status: 3 });
      expect(await verifyAudit(gateway.db)).toMatchObject({ ok: true });
    });

    test("A-233: a batch moves users to an existing group, and changes nothing else of them", async () => {
      const one = await gateway.user("mover1");
      const two = await gateway.user("mover2");
      const before = await rowOf(one.id);
      const move = async (group: string, ids: readonly number[]) =>
        await admin.post("/api/user/batch/group", { ids, group });

      expect((await move("nowhere", [one.id])).body.data).toEqual([
        refused(one.id, "分组不存在：nowhere"),
      ]);
      expect((await move("vip", [two.id, one.id, two.id])).body.data).toEqual([
        done(two.id),
        done(one.id),
        done(two.id),
      ]);
      expect(await rowOf(one.id)).toEqual({ ...before, group: "vip" });
      // A change of the group alone ends no session.
      expect((await one.get("/api/user/self")).status).toBe(200);
    });

    test("a batch needs at most a hundred users, a valid status, and an admin as caller", async () => {
      const { id, post } = await gateway.user("limited");
      const many = Array.from({ length: userBatchMax + 1 }, (_, index) => index + 1);
      const batch = async (body: object) => await root.post("/api/user/batch/status", body);

      expect((await batch({ ids: many, status: 2 })).body.success).toBe(false);
      expect((await batch({ ids: [], status: 2 })).body.success).toBe(false);
      expect((await batch({ ids: [id], status: 3 })).body.success).toBe(false);
      expect((await batch({ ids: ["x"], status: 2 })).body.success).toBe(false);
      expect((await post("/api/user/batch/status", { ids: [id], status: 2 })).body.message).toBe(
        "无权进行此操作，权限不足",
      );
      expect(await rowOf(id)).toMatchObject({ status: 1 });
    });

    test("A-241: deleted users come after all others, each part newest first", async () => {
      const gone = await gateway.user("zgone1");
      const lives = await gateway.user("zlives");
      const late = await gateway.user("zgone2");
      for (const { id } of [gone, late]) await root.delete(`/api/user/${id}`);
      const list = async (query: string) =>
        z
          .object({ items: z.array(adminUser), total: z.number() })
          .parse((await root.get(`/api/user/${query}`)).body.data);

      const { items } = await list("search?keyword=z&page_size=100");
      expect(items.map(({ id }) => id)).toEqual([lives.id, late.id, gone.id]);
      const { total } = await list("?p=1&page_size=1");
      const last = await list(`?p=${total}&page_size=1`);
      expect(last.items.map(({ id }) => id)).toEqual([gone.id]);
    });

    test("A-234: the reason of a quota change is in the ledger, the log and the audit log", async () => {
      const { id } = await gateway.user("reasoned");
      const put = async (body: object) => await admin.put("/api/user/", { id, ...body });
      expect((await put({ quota_delta: 500, reason: "补偿 7 月故障" })).body.success).toBe(true);
      expect((await put({ quota_delta: -120 })).body.success).toBe(true);
      expect((await put({ quota_delta: 1, reason: "x".repeat(201) })).body.success).toBe(false);

      const page = await entriesOf(root, `/api/user/${id}/entries`);
      expect(page.items).toMatchObject([
        { seq: 2, kind: "admin_adjust", amount: -120, balance_after: 380, detail: "" },
        { seq: 1, kind: "admin_adjust", amount: 500, balance_after: 500, detail: "补偿 7 月故障" },
      ]);
      const logs = await gateway.db
        .selectFrom("logs")
        .select(["type", "content"])
        .where("user_id", "=", id)
        .orderBy("id")
        .execute();
      expect(logs).toEqual([
        { type: 3, content: "管理员将用户额度从 0修改为 500：补偿 7 月故障" },
        { type: 3, content: "管理员将用户额度从 500修改为 380" },
      ]);
      const audits = await gateway.db
        .selectFrom("audit_log")
        .select(["actor_id", "detail"])
        .where("target", "=", `user:${id}`)
        .where("action", "=", "user.update")
        .orderBy("id")
        .execute();
      expect(audits.map((row) => [row.actor_id, JSON.parse(row.detail)])).toEqual([
        [
          admin.id,
          { before: {}, after: {}, quota: { before: 0, after: 500 }, reason: "补偿 7 月故障" },
        ],
        [admin.id, { before: {}, after: {}, quota: { before: 500, after: 380 } }],
      ]);
    });

    test("a quota history is paged from its end; users see their own, admins those below them", async () => {
      const owner = await gateway.user("history");
      const { id } = owner;
      for (const quota_delta of [1, 2, 3, 4, 5]) await root.put("/api/user/", { id, quota_delta });
      const own = await entriesOf(owner, "/api/user/self/entries?p=1&page_size=2");

      expect(own).toMatchObject({ page: 1, page_size: 2, total: 5 });
      expect(own.items.map(({ amount }) => amount)).toEqual([5, 4]);
      const last = await entriesOf(admin, `/api/user/${id}/entries?p=3&page_size=2`);
      expect(last.items.map(({ amount }) => amount)).toEqual([1]);
      expect((await entriesOf(owner, "/api/user/self/entries?p=4&page_size=2")).items).toEqual([]);

      const other = await gateway.user("nosy");
      expect((await other.get(`/api/user/${id}/entries`)).body.success).toBe(false);
      expect((await admin.get(`/api/user/${root.id}/entries`)).body.message).toBe(
        "无权获取同级或更高等级用户的信息",
      );
      expect((await admin.get(`/api/user/${admin.id}/entries`)).body.success).toBe(true);
      expect((await admin.get("/api/user/999999/entries")).body.message).toBe("用户不存在");
    });
  });
}
