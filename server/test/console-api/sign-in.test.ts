import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { rootUser } from "#test/gateway.ts";
import { type Answer, type OneApiConsole, openOneApiConsole, password } from "./one-api-console.ts";
import { answered, expectShape, shortUser, status } from "./shapes.ts";

const said = ({ status: code, body: { success, message } }: Answer) => [code, success, message];
const refused = (message: string) => [200, false, message];
const done = [200, true, ""];

for (const dialect of testDialects) {
  describe(`status and sign-in of the console API on ${dialect}`, () => {
    let site: OneApiConsole;
    beforeAll(async () => {
      site = await openOneApiConsole(dialect);
    });
    afterAll(async () => await site.close());

    const set = async (key: string, value: boolean | number | string): Promise<void> => {
      await site.root.data("PUT", "/api/option/", { key, value });
    };

    test("A-350, A-386: the status has every key that consoles store in the browser, and no other", async () => {
      const { body } = await site.visitor().get("/api/status");
      expectShape(answered(status), body);
      expect(body.data).toMatchObject({
        setup: true,
        quota_per_unit: 500_000,
        price: 7.3,
        min_topup: 1,
        data_export_default_time: "hour",
        display_in_currency: true,
        enable_drawing: true,
        enable_task: true,
        enable_data_export: true,
        chats: [],
      });
    });

    test("A-341, A-352 to A-354, A-356 to A-363, A-366 to A-371: its keys follow their options at once", async () => {
      const link = [{ Chat: "https://chat.example/#{key}" }];
      const options = [
        ["SystemName", "Gate", { system_name: "Gate" }],
        ["Logo", "https://img.example/l.png", { logo: "https://img.example/l.png" }],
        ["Footer", "<b>bye</b>", { footer_html: "<b>bye</b>" }],
        ["DisplayInCurrencyEnabled", false, { display_in_currency: false }],
        ["DrawingEnabled", false, { enable_drawing: false }],
        ["TaskEnabled", false, { enable_task: false }],
        ["DataExportEnabled", false, { enable_data_export: false }],
        ["DataExportDefaultTime", "week", { data_export_default_time: "week" }],
        ["DefaultCollapseSidebar", true, { default_collapse_sidebar: true }],
        ["MjNotifyEnabled", true, { mj_notify_enabled: true }],
        ["Chats", JSON.stringify(link), { chats: link, chat_link: "https://chat.example/#{key}" }],
        ["GitHubClientId", "gh", { github_client_id: "gh", github_oauth: false }],
        ["LinuxDOClientId", "ld", { linuxdo_client_id: "ld", linuxdo_oauth: false }],
        ["TelegramBotName", "bot", { telegram_bot_name: "bot", telegram_oauth: false }],
        ["WeChatAccountQRCodeImageURL", "https://img.example/q", { wechat_login: false }],
        ["TurnstileSiteKey", "site", { turnstile_site_key: "site", turnstile_check: false }],
        ["GitHubClientSecret", "s", {}],
        ["GitHubOAuthEnabled", true, { github_oauth: true }],
        ["LinuxDOClientSecret", "s", {}],
        ["LinuxDOOAuthEnabled", true, { linuxdo_oauth: true }],
        ["TelegramBotToken", "1:s", {}],
        ["TelegramOAuthEnabled", true, { telegram_oauth: true }],
        ["WeChatServerAddress", "https://wechat.example", {}],
        ["WeChatAuthEnabled", true, { wechat_login: true, wechat_qrcode: "https://img.example/q" }],
      ] as const;
      for (const [key, value, expected] of options) {
        await set(key, value);
        const { body } = await site.visitor().get("/api/status");
        expectShape(answered(status), body);
        expect(body.data).toMatchObject(expected);
      }
      for (const key of ["GitHub", "LinuxDO", "Telegram"]) await set(`${key}OAuthEnabled`, false);
      await set("WeChatAuthEnabled", false);
    });

    test("set-up reports that it is done and is refused, and reveals nothing else of the server", async () => {
      expect((await site.visitor().get("/api/setup")).body).toEqual({
        success: true,
        message: "",
        data: { status: true, root_init: false, database_type: "" },
      });
      const body = { username: "eve", password, confirmPassword: password };
      expect(said(await site.visitor().post("/api/setup", body))).toEqual([
        400,
        false,
        "系统已经初始化完成",
      ]);
    });

    test("A-345: notice, about and home page are texts, empty while nothing is set", async () => {
      const contents = [
        ["notice", "Notice"],
        ["about", "About"],
        ["home_page_content", "HomePageContent"],
      ] as const;
      for (const [path, key] of contents) {
        const read = async () => (await site.visitor().get(`/api/${path}`)).body;
        expect(await read()).toEqual({ success: true, message: "", data: "" });
        await set(key, "https://pages.example/");
        expect(await read()).toMatchObject({ data: "https://pages.example/" });
      }
    });

    test("A-387: a sign-in answers the user with every key the browser stores, and the cookie", async () => {
      await site.user("alice");
      const body = { username: "alice", password };
      for (const path of ["/api/user/login", "/api/user/login/", "/api/user/login?turnstile="]) {
        const answer = await site.visitor().post(path, body);
        expect(answer.status).toBe(200);
        expectShape(answered(shortUser), answer.body);
        const [cookie = ""] = answer.headers.getSetCookie();
        expect(cookie).toMatch(/; *Path=\/(;|$)/i);
        expect(cookie).toMatch(/; *HttpOnly(;|$)/i);
        expect(cookie).toMatch(/; *SameSite=(Lax|Strict)(;|$)/i);
      }
    });

    test("a failed sign-in answers 200 with the reason, never 401", async () => {
      const login = async (body: object) =>
        said(await site.visitor().post("/api/user/login", body));
      const wrong = refused("用户名或密码错误，或用户已被封禁");
      expect(await login({ username: "alice", password: "not the password" })).toEqual(wrong);
      expect(await login({ username: "nobody", password: "not the password" })).toEqual(wrong);
      for (const body of [{}, { username: "alice" }, { username: "", password: "" }]) {
        expect(await login(body)).toEqual(refused("无效的参数"));
      }
      await set("PasswordLoginEnabled", false);
      expect(await login({ username: "alice", password })).toEqual(refused("管理员关闭了密码登录"));
      await set("PasswordLoginEnabled", true);
    });

    test("A-389: signing out succeeds, even twice, and ends the session of the page", async () => {
      const page = await site.signIn(rootUser.username, rootUser.password);
      expect((await page.get("/api/user/logout")).body).toEqual({ success: true, message: "" });
      expect((await page.get("/api/user/self")).status).toBe(401);
      expect(said(await page.get("/api/user/logout/"))).toEqual(done);
    });

    test("A-107, A-108, A-388: registration refuses in one-api's words and order, and a success signs in", async () => {
      const register = async (body: object) =>
        await site.visitor().post("/api/user/register?turnstile=", body);
      const row = { username: "bob", password, password2: password, aff_code: null, email: null };

      expect(said(await register({ ...row, username: "" }))[1]).toBe(false);
      expect(said(await register({ ...row, username: "thirteen-char" }))[2]).toStartWith(
        "输入不合法 ",
      );
      expect(said(await register({ ...row, password: "seven77" }))[2]).toStartWith("输入不合法 ");
      const made = await register(row);
      expect(said(made)).toEqual(done);
      expect(made.body.data).toMatchObject({ username: "bob", role: 1 });
      // That of the session, then that of the device, which wrong passwords of others do not lock out.
      expect(made.headers.getSetCookie()).toHaveLength(2);
      expect(said(await register(row))).toEqual(refused("用户名已存在，或已注销"));

      await set("PasswordRegisterEnabled", false);
      expect(said(await register({ ...row, username: "carol" }))).toEqual(
        refused("管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册"),
      );
      await set("RegisterEnabled", false);
      expect(said(await register({ ...row, username: "carol" }))).toEqual(
        refused("管理员关闭了新用户注册"),
      );
    });

    test("A-390 to A-392: invalid codes and reset links are refused", async () => {
      const page = site.visitor();
      expect(said(await page.get("/api/verification?email=&turnstile="))[1]).toBe(false);
      expect(said(await page.get("/api/verification?email=nobody&turnstile="))).toEqual(
        refused("无效的邮箱地址"),
      );
      for (const body of [{}, { email: "a@example.com" }]) {
        expect(said(await page.post("/api/user/reset", body))[1]).toBe(false);
      }
      const body = { email: "a@example.com", token: "0123456789abcdef" };
      expect(said(await page.post("/api/user/reset", body))).toEqual(
        refused("重置链接非法或已过期"),
      );
    });

    test("A-393, A-395: a state is a text; a callback without it answers 403 and signs nobody in", async () => {
      const page = site.visitor();
      const state = await page.get("/api/oauth/state?aff=");
      expectShape(answered(z.string().min(12)), state.body);
      const back = async () => said(await page.get("/api/oauth/github?code=c&state=other"));
      expect(await back()).toEqual(refused("管理员未开启通过 GitHub 登录以及注册"));
      await set("GitHubClientId", "id");
      await set("GitHubClientSecret", "secret");
      await set("GitHubOAuthEnabled", true);
      expect(await back()).toEqual([403, false, "state is empty or not same"]);
    });

    test("A-396 to A-400: sign-in methods that are off answer 200 and say that they are off", async () => {
      const page = site.visitor();
      expect(said(await page.get("/api/oauth/wechat?code=1"))).toEqual(
        refused("管理员未开启通过微信登录以及注册"),
      );
      expect(said(await page.get("/api/oauth/telegram/login?id=1&hash=0&lang=en"))).toEqual(
        refused("管理员未开启通过 Telegram 登录以及注册"),
      );
      for (const path of ["wechat/bind?code=1", "email/bind?email=a@example.com&code=1"]) {
        expect((await page.get(`/api/oauth/${path}`)).status).toBe(401);
      }
    });
  });
}
