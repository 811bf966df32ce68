import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { user } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const newPassword = "another horse";

for (const dialect of testDialects) {
  describe(`own account on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    afterAll(async () => await gateway.close());

    const selfOf = async (client: Client) =>
      user.parse((await client.get("/api/user/self")).body.data);

    test("A-281, A-287, A-288: users can change their names, but not group, quota, role or status", async () => {
      const alice = await gateway.user("alice");
      const before = await selfOf(alice);
      const sent = { ...before, username: "alicia", display_name: "A", password: "" };
      const rights = {
        group: "vip",
        quota: 999,
        role: 100,
        status: 2,
        used_quota: 5,
        aff_quota: 9,
      };
      expect((await alice.put("/api/user/self", { ...sent, ...rights })).body.success).toBe(true);

      expect(await selfOf(alice)).toEqual({ ...before, username: "alicia", display_name: "A" });
      await gateway.user("bob");
      expect((await alice.put("/api/user/self", { username: "bob" })).body.message).toBe(
        "用户名已存在，或已注销",
      );
      expect((await alice.put("/api/user/self", { username: "" })).body.success).toBe(true);
      expect((await selfOf(alice)).username).toBe("alicia");
    });

    test("A-130: a new password needs the present one and ends other sessions and tokens", async () => {
      const carol = await gateway.user("carol");
      const elsewhere = await gateway.signIn("carol");
      const token = String((await carol.post("/api/user/token")).body.data);
      const change = async (original_password?: string) =>
        await carol.put("/api/user/self", { password: newPassword, original_password });

      expect((await change()).body.message).toBe("修改密码需要提供当前密码");
      expect((await change("wrong")).body.message).toBe("当前密码不正确");
      expect((await elsewhere.get("/api/user/self")).status).toBe(200);

      const changed = await change(testPassword);
      expect(changed.body.success).toBe(true);
      const cookie = changed.headers.get("set-cookie")?.split(";")[0] ?? "";
      expect(cookie).not.toBe(carol.headers["cookie"] ?? "");
      const headers = { cookie, "new-api-user": String(carol.id) };
      expect((await gateway.call("GET", "/api/user/self", { headers })).status).toBe(200);
      expect((await carol.get("/api/user/self")).status).toBe(401);
      expect((await elsewhere.get("/api/user/self")).status).toBe(401);
      const bearer = { authorization: token, "new-api-user": String(carol.id) };
      expect((await gateway.call("GET", "/api/user/self", { headers: bearer })).body.success).toBe(
        false,
      );
      await expect(gateway.signIn("carol")).rejects.toThrow();
      expect((await gateway.signIn("carol", newPassword)).id).toBe(carol.id);
    });

    test("an account without a password can set one right after signing in, and not later", async () => {
      const [early, late] = [await gateway.user("early"), await gateway.user("late")];
      await gateway.db
        .updateTable("users")
        .set({ password_hash: "" })
        .where("id", "in", [early.id, late.id])
        .execute();
      const first = { password: newPassword };
      expect((await early.put("/api/user/self", first)).body.success).toBe(true);
      expect((await gateway.signIn("early", newPassword)).id).toBe(early.id);
      gateway.clock.nowMs += 5 * 60_000;
      expect((await late.put("/api/user/self", first)).body.message).toBe("请重新登录后再试");
    });

    // Without this limit, somebody who finds a signed-in browser could try all passwords.
    test("after five wrong present passwords even the right one has to wait", async () => {
      const dave = await gateway.user("dave");
      const change = async (original_password: string) =>
        await dave.put("/api/user/self", { password: newPassword, original_password });
      for (let count = 0; count < 5; count += 1) await change("wrong");

      expect((await change(testPassword)).status).toBe(429);
      gateway.clock.nowMs += 15 * 60_000 + 1;
      expect((await change(testPassword)).body.success).toBe(true);
    });

    test("A-284, A-408: deleting the own account signs the user out for good", async () => {
      const erin = await gateway.user("erin");
      const answer = await erin.delete("/api/user/self");

      expect(answer.body.success).toBe(true);
      expect(answer.headers.get("set-cookie")).toStartWith("__Host-sid=; Max-Age=0");
      expect((await erin.get("/api/user/self")).status).toBe(401);
      await expect(gateway.signIn("erin")).rejects.toThrow();
      const root = await gateway.root();
      expect((await root.get(`/api/user/${erin.id}`)).body.data).toMatchObject({
        DeletedAt: expect.any(String),
      });
    });

    test("deleting the own account with another user's name or id in query or body deletes nobody", async () => {
      const grace = await gateway.user("grace");
      const henry = await gateway.user("henry");
      const remove = async (query: string, body?: object) =>
        await gateway.call("DELETE", `/api/user/self${query}`, {
          headers: grace.headers,
          ...(body === undefined ? {} : { body }),
        });
      const refused = { success: false, message: "请输入你的账户名以确认删除！" };
      expect((await remove("", { username: "henry" })).body).toMatchObject(refused);
      expect((await remove("?username=henry")).body).toMatchObject(refused);
      expect((await remove("?username=grace", { username: "henry" })).body.success).toBe(false);
      expect((await remove("", { username: 5 })).body.success).toBe(false);
      expect((await remove("", { id: henry.id })).body.success).toBe(false);
      expect((await remove("", { username: "grace", id: henry.id })).body.success).toBe(false);
      expect((await remove(`?id=${henry.id}`)).body.success).toBe(false);
      expect((await grace.get("/api/user/self")).status).toBe(200);
      expect(
        (await remove("?username=grace", { username: "grace", id: grace.id })).body.success,
      ).toBe(true);
      expect((await grace.get("/api/user/self")).status).toBe(401);
    });

    test("a deleted user's sessions, app secrets and notification settings are erased", async () => {
      const frank = await gateway.user("frank");
      const setting = { notify_type: "webhook", quota_warning_threshold: 1 };
      const url = "https://hooks.example.com/x";
      await frank.put("/api/user/setting", { ...setting, webhook_url: url });
      await frank.post("/api/user/2fa/setup", { password: testPassword });
      expect((await frank.delete("/api/user/self")).body.success).toBe(true);

      for (const table of ["notification_settings", "totp_secrets", "sessions"] as const) {
        const rows = await gateway.db.selectFrom(table).select("user_id").execute();
        expect(rows.filter(({ user_id }) => user_id === frank.id)).toEqual([]);
      }
    });
  });
}
