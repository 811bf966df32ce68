import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { adminUser, role } from "@tollgate/contract/endpoints/users.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { type Answer, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const paged = z.object({
  items: z.array(adminUser),
  page: z.number(),
  page_size: z.number(),
  total: z.number(),
});

for (const dialect of testDialects) {
  describe(`users on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    afterAll(async () => await gateway.close());

    const no = (message: string) => ({ status: 200, body: { success: false, message } });
    const rowOf = async (id: number) =>
      adminUser.parse((await (await gateway.root()).get(`/api/user/${id}`)).body.data);

    test("A-409, O-604: a new user is an ordinary one who can sign in; no answer has a password", async () => {
      gateway.setOptions({ QuotaForNewUser: "1000" });
      const root = await gateway.root();
      const body = { username: "alice", password: testPassword, display_name: "", role: 10 };
      const created = await root.post("/api/user/", body);
      gateway.setOptions({});

      expect(created).toMatchObject({ status: 200, body: { success: true } });
      const first = await gateway.signIn("alice");
      const password = "chosen by alice";
      expect((await first.put("/api/user/self", { password })).body.success).toBe(true);
      const alice = await gateway.signIn("alice", password);
      const self = (await alice.get("/api/user/self")).body.data;
      expect(self).toMatchObject({
        username: "alice",
        display_name: "alice",
        role: 1,
        status: 1,
        group: "default",
        quota: 1_000,
        used_quota: 0,
        request_count: 0,
        DeletedAt: null,
      });
      expect(
        Object.keys(Object(self)).filter((name) => /password|access_token/.test(name)),
      ).toEqual([]);
      expect(JSON.stringify(self)).not.toContain(testPassword);
      expect((await alice.get("/api/user/aff")).body.data).toMatch(/^[0-9A-Za-z]{4}$/);
      expect(await gateway.db.selectFrom("logs").select(["type", "content"]).execute()).toEqual([
        { type: 4, content: "新用户注册赠送 1000" },
      ]);
    });

    test("A-113, A-112, A-244: names of 12 and passwords of 8 to 128 characters, a name once", async () => {
      const root = await gateway.root();
      const create = async (username: unknown, password: unknown): Promise<Answer> =>
        await root.post("/api/user/", { username, password });

      expect((await create("十二个字符的名字十二个字", "x".repeat(128))).body.success).toBe(true);
      expect((await create("a".repeat(13), testPassword)).body.success).toBe(false);
      expect((await create("bob", "x".repeat(129))).body.success).toBe(false);
      expect((await create("bob", "1234567")).body.success).toBe(false);
      expect(await create("", testPassword)).toMatchObject(no("用户名和密码不能为空！"));
      expect(await create("bob", null)).toMatchObject(no("用户名和密码不能为空！"));
      expect((await create("b\u0000b", testPassword)).body.success).toBe(false);
      expect(await create("root", testPassword)).toMatchObject(no("用户名已存在，或已注销"));
    });

    test("A-401: the list is paged from 1, newest first; pages 0, 1 and -1 are the first", async () => {
      const root = await gateway.root();
      const list = async (query: string) =>
        paged.parse((await root.get(`/api/user/?${query}`)).body.data);
      const first = await list("p=1&page_size=2");

      expect(first).toMatchObject({ page: 1, page_size: 2 });
      expect(first.total).toBeGreaterThan(2);
      expect(first.items.map(({ id }) => id)).toEqual(
        first.items.map(({ id }) => id).toSorted((a, b) => b - a),
      );
      for (const p of ["0", "-1", "NaN", ""]) expect(await list(`p=${p}&size=2`)).toEqual(first);
      const second = await list("p=2&page_size=2");
      expect(second.items[0]?.id).toBeLessThan(first.items[1]?.id ?? 0);
      expect(await list("p=9999&page_size=2")).toMatchObject({ items: [], total: first.total });
    });

    test("A-226, A-228, A-402, O-618: a search narrows by part of a name, by id and by group", async () => {
      const root = await gateway.root();
      const { id } = await gateway.user("Searched");
      await gateway.db
        .updateTable("users")
        .set({ group: "vip", email: "100%@example.com" })
        .where("id", "=", id)
        .execute();
      const search = async (query: string) => {
        const found = paged.parse((await root.get(`/api/user/search?${query}`)).body.data);
        expect(found.total).toBe(found.items.length);
        return found.items.map(({ username }) => username);
      };

      expect(await search("keyword=EARCH")).toEqual(["Searched"]);
      expect(await search(`keyword=${id}&group=undefined`)).toContain("Searched");
      expect(await search("keyword=&group=vip")).toEqual(["Searched"]);
      expect(await search("keyword=earch&group=default")).toEqual([]);
      // The keyword is `%`, a wildcard in SQL: without escaping, it would list all users.
      expect(await search("keyword=%25")).toEqual(["Searched"]);
      expect(await search("keyword=_")).toEqual([]);
      expect((await root.get("/api/user/search?keyword=%00")).body.success).toBe(false);

      const plain = await root.get("/api/user/query?keyword=earch");
      expect(plain.body).toMatchObject({ data: [{ username: "Searched" }], total: 1 });
      const page = await root.get("/api/user/query?keyword=earch&p=1&page_size=20");
      expect(page.body.data).toMatchObject({ items: [{ username: "Searched" }], total: 1 });
    });

    test("A-255 to A-258: manage changes status and role, answers both, and refuses no-ops", async () => {
      const root = await gateway.root();
      const { id } = await gateway.user("managed");
      const manage = async (action: string): Promise<Answer> =>
        await root.post("/api/user/manage", { id, action });

      expect((await manage("disable")).body.data).toEqual({ role: 1, status: 2 });
      expect((await manage("enable")).body.data).toEqual({ role: 1, status: 1 });
      expect((await manage("promote")).body.data).toEqual({ role: 10, status: 1 });
      expect(await manage("promote")).toMatchObject(no("该用户已经是管理员"));
      expect((await manage("demote")).body.data).toEqual({ role: 1, status: 1 });
      expect(await manage("demote")).toMatchObject(no("该用户已经是普通用户"));
      expect((await manage("crown")).body.success).toBe(false);
      expect(await root.post("/api/user/manage", { action: "enable" })).toMatchObject(
        no("无效的参数"),
      );
      const byName = await root.post("/api/user/manage", {
        username: "managed",
        action: "disable",
      });
      expect(byName.body.data).toEqual({ role: 1, status: 2 });
    });

    test("A-254: a user of status 3 is never enabled, not even by disabling first", async () => {
      const root = await gateway.root();
      const { id } = await gateway.user("barred");
      await gateway.db.updateTable("users").set({ status: 3 }).where("id", "=", id).execute();
      const manage = async (action: string) => await root.post("/api/user/manage", { id, action });

      expect((await manage("enable")).body.success).toBe(false);
      await manage("disable");
      expect((await manage("enable")).body.success).toBe(false);
      expect(await rowOf(id)).toMatchObject({ status: 3 });
    });

    test("A-259, A-260: an admin cannot change anybody of the same or a higher role", async () => {
      const admin = await gateway.user("admin1", role.enum.admin);
      const other = await gateway.user("admin2", role.enum.admin);
      const { id: rootId } = await gateway.root();
      const notHigher = "无权更新同权限等级或更高权限等级的用户信息";
      for (const id of [other.id, rootId]) {
        const before = await rowOf(id);
        for (const action of ["disable", "enable", "delete", "promote", "demote"]) {
          expect(await admin.post("/api/user/manage", { id, action })).toMatchObject(no(notHigher));
        }
        const edit = { id, username: "mine", password: "new password", group: "vip", quota: 5 };
        expect(await admin.put("/api/user/", edit)).toMatchObject(no(notHigher));
        const drain = { id, quota_delta: -Number.MAX_SAFE_INTEGER };
        expect(await admin.put("/api/user/", drain)).toMatchObject(no(notHigher));
        expect(await admin.delete(`/api/user/${id}`)).toMatchObject(
          no("无权删除同权限等级或更高权限等级的用户"),
        );
        expect(await admin.get(`/api/user/${id}`)).toMatchObject(
          no("无权获取同级或更高等级用户的信息"),
        );
        expect(await rowOf(id)).toEqual(before);
      }
      const { id } = await gateway.user("lower");
      expect(await admin.post("/api/user/manage", { id, action: "promote" })).toMatchObject(
        no("普通管理员用户无法提升其他用户为管理员"),
      );
      expect(await admin.put("/api/user/", { id, role: 10 })).toMatchObject(
        no("无权将其他用户权限等级提升到大于等于自己的权限等级"),
      );
      expect(
        await admin.post("/api/user/", { username: "peer", password: testPassword, role: 10 }),
      ).toMatchObject(no("无法创建权限大于等于自己的用户"));
      expect((await admin.post("/api/user/manage", { id, action: "disable" })).body.success).toBe(
        true,
      );
      expect((await admin.get(`/api/user/${admin.id}`)).body.success).toBe(true);
    });

    // A user name that looks like an e-mail address is refused: users sign in with addresses as
    // well, so it would pass for somebody else's.
    test("A-113: nobody can give an account a name that is an address or has 13 characters", async () => {
      const root = await gateway.root();
      const client = await gateway.user("named");
      const { id } = client;
      for (const [username, message] of [
        ["me@b.test", "输入不合法 用户名不能含有 @"],
        ["n".repeat(13), "输入不合法 用户名最多 12 个字符"],
      ] as const) {
        const account = { username, password: testPassword };
        expect(await root.post("/api/user/", account)).toMatchObject(no(message));
        expect(await root.put("/api/user/", { id, username })).toMatchObject(no(message));
        expect(await client.put("/api/user/self", { username })).toMatchObject(no(message));
      }
      expect(await rowOf(id)).toMatchObject({ username: "named" });
    });

    test("an imported account keeps its irregular name, signs in by it and can be edited", async () => {
      const root = await gateway.root();
      const { id } = await gateway.user("imported");
      const username = "carol.smith@b.test";
      await gateway.db.updateTable("users").set({ username }).where("id", "=", id).execute();
      const client = await gateway.signIn(username);
      const row = (await root.get(`/api/user/${id}`)).body.data;

      // Sends the whole row back, as older consoles do.
      const edit = { ...(row as object), display_name: "Carol" };
      expect((await root.put("/api/user/", edit)).body.success).toBe(true);
      const own = { username, display_name: "C." };
      expect((await client.put("/api/user/self", own)).body.success).toBe(true);
      expect(await rowOf(id)).toMatchObject({ username, display_name: "C." });
      expect((await client.put("/api/user/self", { username: "carol" })).body.success).toBe(true);
    });

    test("A-261 to A-263: nobody can disable, delete or demote root, not even root", async () => {
      const root = await gateway.root();
      const manage = async (action: string) =>
        await root.post("/api/user/manage", { id: root.id, action });

      expect(await manage("disable")).toMatchObject(no("无法禁用超级管理员用户"));
      expect(await manage("delete")).toMatchObject(no("无法删除超级管理员用户"));
      expect(await manage("demote")).toMatchObject(no("无法降级超级管理员用户"));
      expect(await root.delete("/api/user/self")).toMatchObject(no("不能删除超级管理员账户"));
      expect((await root.delete(`/api/user/${root.id}`)).body.success).toBe(false);
      expect((await root.get("/api/user/self")).body.data).toMatchObject({ role: 100, status: 1 });
    });

    test("A-264, A-265: a deleted user stays listed, keeps the name, and never comes back", async () => {
      const root = await gateway.root();
      const { id } = await gateway.user("leaver");
      expect((await root.post("/api/user/manage", { id, action: "delete" })).body.success).toBe(
        true,
      );

      expect(await rowOf(id)).toMatchObject({ DeletedAt: "2026-11-21T12:00:00.000Z" });
      expect(await root.post("/api/user/manage", { id, action: "enable" })).toMatchObject(
        no("用户不存在"),
      );
      expect(await root.put("/api/user/", { id, username: "other" })).toMatchObject(
        no("用户不存在"),
      );
      const again = { username: "leaver", password: testPassword };
      expect(await root.post("/api/user/", again)).toMatchObject(no("用户名已存在，或已注销"));
    });

    // P-A5: an open console of the user must notice each of these changes at its next call.
    test("disabling, demoting, deleting and a new password end every session and access token", async () => {
      const root = await gateway.root();
      const ends: [string, (id: number) => Promise<Answer>][] = [
        ["off1", (id) => root.post("/api/user/manage", { id, action: "disable" })],
        ["down1", (id) => root.post("/api/user/manage", { id, action: "demote" })],
        ["gone1", (id) => root.post("/api/user/manage", { id, action: "delete" })],
        ["gone2", (id) => root.delete(`/api/user/${id}`)],
        ["pass1", (id) => root.put("/api/user/", { id, password: "a new password" })],
      ];
      for (const [username, end] of ends) {
        const client = await gateway.user(username, role.enum.admin);
        const second = await gateway.signIn(username);
        const token = String((await client.get("/api/user/token")).body.data);
        expect((await end(client.id)).body.success).toBe(true);

        expect((await client.get("/api/user/self")).status).toBe(401);
        expect((await second.get("/api/user/self")).status).toBe(401);
        const headers = { authorization: token, "new-api-user": String(client.id) };
        expect((await gateway.call("GET", "/api/user/self", { headers })).body.success).toBe(false);
      }
      expect((await gateway.signIn("pass1", "a new password")).id).toBeGreaterThan(0);
      await expect(gateway.signIn("pass1")).rejects.toThrow();
    });

    test("an audit row says who changed whom and what, without the password", async () => {
      const root = await gateway.root();
      const { id } = await gateway.user("audited");
      await root.put("/api/user/", { id, display_name: "New", password: "a new password" });
      const row = await gateway.db
        .selectFrom("audit_log")
        .selectAll()
        .where("target", "=", `user:${id}`)
        .orderBy("id", "desc")
        .executeTakeFirst();

      expect(row).toMatchObject({
        actor_id: root.id,
        actor_name: "root",
        client_ip: "203.0.113.9",
        action: "user.update",
      });
      expect(JSON.parse(row?.detail ?? "")).toEqual({
        before: { display_name: "audited" },
        after: { display_name: "New" },
        password: "changed",
      });
    });
  });
}
