import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import {
  type Answer,
  type OneApiConsole,
  openOneApiConsole,
  type Page,
  password,
} from "./one-api-console.ts";
import { answered, expectShape, groupInfo, user, userSetting } from "./shapes.ts";

const said = ({ status, body: { success, message } }: Answer) => [status, success, message];
const refused = (message: string) => [200, false, message];
const done = [200, true, ""];

/** Quota units worth one US dollar, which is also the least amount of earnings to transfer. */
const dollar = 500_000;

for (const dialect of testDialects) {
  describe(`the own account in the console API on ${dialect}`, () => {
    let site: OneApiConsole;
    let alice: Page;
    beforeAll(async () => {
      site = await openOneApiConsole(dialect);
      alice = await site.user("alice");
    });
    afterAll(async () => await site.close());

    const self = async (page = alice): Promise<z.infer<typeof user>> =>
      await page.data("GET", "/api/user/self");

    test("A-002, A-328 to A-330, A-331, A-334 to A-338, A-405: self has every key, and no secret", async () => {
      const { body } = await alice.get("/api/user/self");
      expectShape(answered(user), body);
      expect(body.data).toMatchObject({
        id: alice.userId,
        username: "alice",
        display_name: "alice",
        group: "default",
        role: 1,
        status: 1,
        email: "",
        github_id: "",
        DeletedAt: null,
      });
    });

    test("A-017, A-128, A-129, A-281, A-287, A-288, A-407: a whole row sent back changes names only", async () => {
      const before = await self();
      const row = {
        ...before,
        password: "",
        display_name: "Alice",
        group: "vip",
        quota: 9,
        role: 10,
      };
      expect((await alice.put("/api/user/self", row)).body).toEqual({ success: true, message: "" });
      expect(await self()).toEqual({ ...before, display_name: "Alice" });

      for (const part of [{}, { display_name: "", username: "" }, { username: null }]) {
        expect(said(await alice.put("/api/user/self/", part))).toEqual(done);
      }
      expect(await self()).toEqual({ ...before, display_name: "Alice" });
    });

    test("A-383: invalid names are refused in one-api's words", async () => {
      const rename = async (body: object) => said(await alice.put("/api/user/self", body));
      expect((await rename({ username: "thirteen-char" }))[2]).toStartWith("输入不合法 ");
      expect((await rename({ display_name: "x".repeat(21) }))[2]).toStartWith("输入不合法 ");
      expect(await rename({ username: "root" })).toEqual(refused("用户名已存在，或已注销"));
      expect((await alice.put("/api/user/self", "{")).status).toBe(400);
    });

    test("A-283, A-411: an access token is a text, answered to GET and POST with the user header only", async () => {
      const token = answered(z.string().regex(/^[\w+/=-]{29,32}$/));
      const made = await alice.get("/api/user/token");
      expectShape(token, made.body);
      const other = await alice.post("/api/user/token/");
      expectShape(token, other.body);
      expect(other.body.data).not.toBe(made.body.data);

      const without = await alice.send("GET", "/api/user/token", {
        headers: { "new-api-user": "" },
      });
      expect(without.status).toBe(401);
      for (const authorization of [other.body.data, `Bearer ${String(other.body.data)}`]) {
        const headers = {
          authorization: String(authorization),
          "new-api-user": String(alice.userId),
        };
        const program = await site.visitor().send("GET", "/api/user/self", { headers });
        expect(said(program)).toEqual(done);
      }
    });

    test("A-019, A-285, A-412, A-413: the invite code is a text, and transfers are in whole dollars", async () => {
      const code = await alice.get("/api/user/aff");
      expectShape(answered(z.string().regex(/^[A-Za-z0-9]{4}$/)), code.body);
      expect(code.body.data).toBe((await self()).aff_code);
      const options = { QuotaForInviter: 2 * dollar, QuotaForInvitee: 7, QuotaForNewUser: 10 };
      for (const [key, value] of Object.entries(options)) {
        await site.root.data("PUT", "/api/option/", { key, value });
      }
      const body = { username: "friend", password, aff_code: code.body.data };
      await site.visitor().data("POST", "/api/user/register", body);
      // the quota is the gift of every new user, plus the gift of an invited one.
      expect(await self(await site.signIn("friend"))).toMatchObject({
        quota: 17,
        inviter_id: alice.userId,
      });
      const earned = await self();
      expect(earned).toMatchObject({
        aff_count: 1,
        aff_quota: 2 * dollar,
        aff_history_quota: 2 * dollar,
      });

      const move = async (quota: unknown) =>
        said(await alice.post("/api/user/aff_transfer", { quota }));
      expect((await move(dollar - 1))[2]).toMatch(/^划转失败 转移额度最小为.+！$/);
      expect(await move(3 * dollar)).toEqual(refused("划转失败 邀请额度不足！"));
      expect((await move("x"))[2]).toStartWith("划转失败 ");
      // Some pages of one-api's console send this number as text.
      expect(await move(String(dollar))).toEqual([200, true, "划转成功"]);
      expect(await self()).toMatchObject({
        quota: earned.quota + dollar,
        aff_quota: dollar,
        aff_history_quota: 2 * dollar,
      });
    });

    test("A-036, A-038: notice settings are saved, and answered as JSON text without the secret", async () => {
      const save = async (body: object) => said(await alice.put("/api/user/setting", body));
      const setting = {
        notify_type: "webhook",
        quota_warning_threshold: "1000",
        webhook_url: "https://hooks.example.com/1",
        webhook_secret: "s3cret",
        notification_email: "",
        accept_unset_model_ratio_model: true,
      };
      expect(await save(setting)).toEqual([200, true, "设置已更新"]);
      const text = (await self()).setting;
      expect(text).not.toContain("s3cret");
      expectShape(userSetting, JSON.parse(text));
      expect(JSON.parse(text)).toMatchObject({
        notify_type: "webhook",
        quota_warning_threshold: 1_000,
        has_webhook_secret: true,
      });

      const wrong: [object, string][] = [
        [{ notify_type: "pigeon" }, "无效的预警类型"],
        [{ quota_warning_threshold: 0 }, "预警阈值必须大于0"],
        [{ webhook_url: "" }, "Webhook地址不能为空"],
        [{ webhook_url: "ftp://x" }, "无效的Webhook地址"],
        [{ notify_type: "email", notification_email: "x" }, "无效的邮箱地址"],
      ];
      for (const [part, message] of wrong) {
        expect(await save({ ...setting, ...part })).toEqual(refused(message));
      }
    });

    test("A-004, A-286, A-414, A-415: models are names, groups are a map with both texts", async () => {
      expectShape(answered(z.array(z.string())), (await alice.get("/api/user/models")).body);
      for (const page of [alice, site.visitor()]) {
        const path = page.userId < 0 ? "/api/user/groups" : "/api/user/self/groups";
        const { body } = await page.get(path);
        expectShape(answered(z.record(z.string(), groupInfo)), body);
        expect(body.data).toMatchObject({
          default: { ratio: 1, desc: "默认分组", description: "默认分组" },
        });
      }
    });

    test("A-020, A-262, A-284, A-408: deleting the own account signs out; root cannot delete itself", async () => {
      const page = await site.user("leaver");
      expect((await page.delete("/api/user/self")).body).toEqual({ success: true, message: "" });
      expect((await page.get("/api/user/self")).status).toBe(401);
      const body = { username: "leaver", password };
      expect(said(await site.visitor().post("/api/user/login", body))).toEqual(
        refused("用户名或密码错误，或用户已被封禁"),
      );
      expect(said(await site.root.delete("/api/user/self"))).toEqual(
        refused("不能删除超级管理员账户"),
      );
    });
  });
}
