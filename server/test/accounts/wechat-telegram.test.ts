import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { signatureOf } from "#modules/identities/methods/telegram.ts";
import { openTestConsole, type TestConsole, testPassword } from "./open-console.ts";
import { type Browser, openBrowser, openBrowserOf, stateOf } from "./play-providers.ts";

/** Codes of the WeChat official account, valid once, with the WeChat user of each. */
const weChatCodes = new Map<string, string>();
let codeRequests = 0;
/**
 * True: the server of the WeChat account answers for a code until the code expires, not only once,
 * as some such servers do.
 */
let keepsCodes = false;
const codeServer = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    codeRequests += 1;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/api/wechat/user" || request.headers.get("authorization") !== "the token") {
      return Response.json({ success: false, message: "no" }, { status: 401 });
    }
    const code = searchParams.get("code") ?? "";
    const data = weChatCodes.get(code);
    if (!keepsCodes) weChatCodes.delete(code);
    return Response.json(
      data === undefined
        ? { success: false, message: "wrong" }
        : { success: true, message: "", data },
    );
  },
});

const botToken = "123:a bot's token";
afterAll(async () => await codeServer.stop(true));

test("the signature follows the algorithm that Telegram documents", () => {
  // The expected value is HMAC-SHA256, keyed with the token's SHA-256, computed with openssl.
  const fields = { id: "42", first_name: "A", auth_date: "1700000000", photo_url: "", other: "x" };
  expect(signatureOf(fields, "123:ABC")).toBe(
    "b1d0687433e0cc97aaea643874cafaa8bde8b7852cdfb34c468408f45c80beef",
  );
});

for (const dialect of testDialects) {
  describe(`WeChat and Telegram on ${dialect}`, () => {
    let gateway: TestConsole;
    let client = 0;
    const settings = {
      WeChatAuthEnabled: "true",
      WeChatServerAddress: codeServer.url.origin,
      WeChatServerToken: "the token",
      TelegramOAuthEnabled: "true",
      TelegramBotToken: botToken,
    };
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    beforeEach(() => {
      client += 1;
      gateway.setOptions(settings);
    });
    afterAll(async () => {
      await gateway.close();
    });

    const ip = (): string => `198.51.100.${client}`;
    const newCode = (person: string): string => {
      const code = crypto.randomUUID().slice(0, 6);
      weChatCodes.set(code, person);
      return code;
    };

    /** Makes the answer of Telegram's sign-in widget for a person, signed now. */
    function widget(id: number, more: Record<string, string> = {}): string {
      const fields: Record<string, string> = {
        id: String(id),
        first_name: "Tele 图",
        username: "tele",
        auth_date: String(Math.floor(gateway.clock.nowMs / 1_000)),
        ...more,
      };
      const signed = { ...fields, hash: signatureOf(fields, botToken), lang: "en" };
      return new URLSearchParams(signed).toString();
    }

    const bindHere = async (browser: Browser, id: number) =>
      await browser.post("/api/oauth/telegram/bind", {
        ...Object.fromEntries(new URLSearchParams(widget(id))),
        password: testPassword,
      });

    test("A-134, A-396, A-397: a WeChat code creates an account, signs in, and binds", async () => {
      const visitor = openBrowser(gateway, ip());
      const made = await visitor.get(`/api/oauth/wechat?code=${newCode("wx-1")}`);
      expect(made.body).toMatchObject({ success: true, data: { display_name: "WeChat User" } });
      const { id } = Object(made.body.data);
      const again = await openBrowser(gateway, ip()).get(
        `/api/oauth/wechat?code=${newCode("wx-1")}`,
      );
      expect(again.body.data).toMatchObject({ id, username: `wechat_${id}` });

      const alice = await openBrowserOf(gateway, "alice", ip());
      const bind = async (subject: string) =>
        await alice.post("/api/oauth/wechat/bind", {
          code: newCode(subject),
          password: testPassword,
        });
      expect((await bind("wx-1")).body).toEqual({
        success: false,
        message: "该微信账户已被绑定",
      });
      const { headers } = alice;
      alice.headers = {};
      expect((await bind("wx-2")).status).toBe(401);
      alice.headers = headers;
      expect((await bind("wx-2")).body).toEqual({
        success: true,
        message: "",
      });
      expect((await alice.get("/api/user/self")).body.data).toMatchObject({ wechat_id: "wx-2" });
      expect((await alice.delete("/api/oauth/wechat/bind")).body.success).toBe(true);
      expect((await alice.get("/api/user/self")).body.data).toMatchObject({ wechat_id: "" });
    });

    test("A-456: a wrong or used WeChat code is refused, and attempts are limited", async () => {
      const visitor = openBrowser(gateway, ip());
      const code = newCode("wx-3");
      await visitor.get(`/api/oauth/wechat?code=${code}`);
      const wrong = { success: false, message: "验证码错误或已过期" };
      visitor.cookies.clear();
      expect((await visitor.get(`/api/oauth/wechat?code=${code}`)).body).toEqual(wrong);
      const before = codeRequests;
      for (let count = 0; count < 19; count += 1) {
        expect((await visitor.get(`/api/oauth/wechat?code=${count}`)).status).toBe(200);
      }
      expect((await visitor.get(`/api/oauth/wechat?code=${newCode("wx-3")}`)).status).toBe(429);
      expect(codeRequests).toBe(before + 19);
    });

    // If a code worked twice, anyone who intercepts it, or finds it in a log, could sign in with
    // it.
    test("a WeChat code is used once, also if its server answers for it again", async () => {
      keepsCodes = true;
      try {
        const wrong = { success: false, message: "验证码错误或已过期" };
        const code = newCode("wx-5");
        const use = async (sent: string) =>
          (await openBrowser(gateway, ip()).get(`/api/oauth/wechat?code=${sent}`)).body;
        const answers = await Promise.all([use(code), use(code), use(code)]);
        expect(answers.filter(({ success }) => success)).toHaveLength(1);
        expect(await use(code)).toEqual(wrong);
        weChatCodes.set(`${code}%20`, "wx-5").set(` ${code}`, "wx-5");
        for (const spelling of [`%20${code}`, `${code}%00`, `${code}%2520`]) {
          expect(await use(spelling)).toMatchObject({ success: false });
        }
        const alice = await openBrowserOf(gateway, "wxcodes", ip());
        const sent = { code, password: testPassword };
        expect((await alice.post("/api/oauth/wechat/bind", sent)).body).toEqual(wrong);
        // Later the same digits may be issued to another person, and then they must work.
        weChatCodes.set(code, "wx-6");
        expect(await use(code)).toMatchObject({ success: true });
      } finally {
        keepsCodes = false;
      }
    });

    test("another site cannot sign a browser in to its own WeChat or Telegram account", async () => {
      const visitor = openBrowser(gateway, ip());
      visitor.headers = { "sec-fetch-site": "cross-site" };
      expect((await visitor.get(`/api/oauth/wechat?code=${newCode("wx-4")}`)).status).toBe(403);
      expect((await visitor.get(`/api/oauth/telegram/login?${widget(1)}`)).status).toBe(403);
    });

    test("A-138, A-399, A-400: Telegram is bound by the widget, and then signs in", async () => {
      const bob = await openBrowserOf(gateway, "bob", ip());
      const unbound = await openBrowser(gateway, ip()).get(
        `/api/oauth/telegram/login?${widget(5)}`,
      );
      expect(unbound.body).toEqual({ success: false, message: "该 Telegram 账户未绑定" });
      gateway.clock.nowMs += 1_000;
      expect((await bindHere(bob, 5)).body).toEqual({ success: true, message: "" });
      expect((await bob.get("/api/user/self")).body.data).toMatchObject({ telegram_id: "5" });
      gateway.clock.nowMs += 1_000;
      const back = await openBrowser(gateway, ip()).get(`/api/oauth/telegram/login?${widget(5)}`);
      expect(back.body.data).toMatchObject({ id: bob.id, username: "bob" });

      const carol = await openBrowserOf(gateway, "carol", ip());
      gateway.clock.nowMs += 1_000;
      expect((await bindHere(carol, 5)).body).toEqual({
        success: false,
        message: "该 Telegram 账户已被绑定",
      });
    });

    // The redirect from Telegram carries the session cookie even if another site caused it.
    test("a navigation binds only with a state of the same session", async () => {
      const [dave, mallory] = [
        await openBrowserOf(gateway, "dave", ip()),
        await openBrowserOf(gateway, "mallory", ip()),
      ];
      const stateOfMallory = await stateOf(mallory);
      const own = await stateOf(dave, "?provider=telegram");
      dave.headers = { "sec-fetch-site": "cross-site" };
      const path = "/api/oauth/telegram/bind?state=";
      expect((await dave.get(`${path}&${widget(6)}`)).status).toBe(401);
      expect((await dave.get(`${path}${stateOfMallory}&${widget(6)}`)).status).toBe(403);
      const bound = await dave.get(`${path}${own}&${widget(6)}`);
      expect([bound.status, bound.headers.get("location")]).toEqual([302, "/setting"]);
      gateway.clock.nowMs += 1_000;
      expect((await dave.get(`${path}${own}&${widget(6)}`)).status).toBe(403);
      const visitor = openBrowser(gateway, ip());
      const state = await stateOf(visitor);
      expect((await visitor.get(`${path}${state}&${widget(7)}`)).status).toBe(403);
    });

    test("a navigation that is refused ends on a page of the console, not on JSON", async () => {
      const grace = await openBrowserOf(gateway, "grace", ip());
      // In an older console, Telegram's widget makes this request by a navigation, without the
      // headers of an API call.
      grace.headers = { "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" };
      const path = `/api/oauth/telegram/bind?${widget(12)}`;
      const refused = await grace.get(path);
      expect(refused.status).toBe(302);
      expect(refused.headers.get("location")).toStartWith("/oauth/telegram?refused=");
      const foreign = await grace.get(`/api/oauth/telegram/bind?state=made-up&${widget(12)}`);
      expect(foreign.headers.get("location")).toBe("/oauth/telegram?refused=state-mismatch");
      expect((await grace.get("/api/user/self")).status).toBe(401);
      grace.headers = { accept: "text/html,*/*;q=0.8" };
      expect((await grace.get(path)).status).toBe(302);
      grace.headers = { accept: "application/json" };
      expect((await grace.get(path)).status).toBe(401);
    });

    test("one signature signs in once, however many send it at once", async () => {
      const frank = await openBrowserOf(gateway, "frank", ip());
      await bindHere(frank, 10);
      gateway.clock.nowMs += 1_000;
      const fields = widget(10);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          openBrowser(gateway, `192.0.2.${n}`).get(`/api/oauth/telegram/login?${fields}`),
        ),
      );
      expect(answers.filter((answer) => answer.body.success)).toHaveLength(1);
    });

    test("A-399: a changed, old, future or used signature is refused", async () => {
      const erin = await openBrowserOf(gateway, "erin", ip());
      await bindHere(erin, 8);
      const login = async (fields: string) =>
        (await openBrowser(gateway, ip()).get(`/api/oauth/telegram/login?${fields}`)).body;
      const nowSeconds = Math.floor(gateway.clock.nowMs / 1_000);
      const changed = widget(9).replace("id=9", "id=8");
      const refused = { success: false, message: "无效的请求" };
      expect(await login(changed)).toEqual(refused);
      const added = widget(8, { last_name: "x" }).replace("&last_name=x", "");
      expect(await login(added)).toEqual(refused);
      for (const at of [nowSeconds - 301, nowSeconds + 62]) {
        expect((await login(widget(8, { auth_date: String(at) }))).success).toBe(false);
      }
      gateway.clock.nowMs += 2_000;
      const good = widget(8);
      expect((await login(good)).success).toBe(true);
      expect(await login(good)).toEqual(refused);
      gateway.setOptions({ ...settings, TelegramBotToken: "" });
      expect((await login(widget(8))).success).toBe(false);
    });
  });
}
