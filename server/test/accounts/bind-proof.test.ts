/** An identity that is bound opens the account for good, so its owner proves to be there, and is told. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole, type TestConsole, testPassword } from "./open-console.ts";
import {
  type Browser,
  openBrowser,
  openBrowserOf,
  type PlayedProvider,
  playProvider,
  stateOf,
} from "./play-providers.ts";

const minuteMs = 60_000;

for (const dialect of testDialects) {
  describe(`proof before an identity is bound, on ${dialect}`, () => {
    let gateway: TestConsole;
    let provider: PlayedProvider;
    let client = 0;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      provider = playProvider();
      gateway.providers.gitHubToken = provider.tokenUrl;
      gateway.providers.gitHubUser = provider.userUrl;
      gateway.providers.linuxDoToken = provider.tokenUrl;
      gateway.providers.linuxDoUser = provider.userUrl;
      gateway.setOptions({
        GitHubOAuthEnabled: "true",
        LinuxDOOAuthEnabled: "true",
        WeChatAuthEnabled: "true",
        TelegramOAuthEnabled: "true",
        SMTPServer: "mail.example.org",
      });
    });
    beforeEach(() => {
      client += 1;
      gateway.mails.length = 0;
      gateway.clock.nowMs += 16 * minuteMs;
    });
    afterAll(async () => {
      await provider.stop();
      await gateway.close();
    });

    const userOf = async (username: string, email = "") => {
      const browser = await openBrowserOf(gateway, username, `198.51.100.${client}`);
      await gateway.db.updateTable("users").set({ email }).where("id", "=", browser.id).execute();
      return browser;
    };
    const askState = async (browser: Browser, password?: string) =>
      (await browser.post("/api/oauth/state", { provider: "github", password })).body;
    const bindGitHub = async (browser: Browser, id: number, type = "github") => {
      const state = await stateOf(browser, `?provider=${type}`);
      const code = provider.newCode({ id, login: `user${id}`, username: `user${id}` });
      return (await browser.get(`/api/oauth/${type}?code=${code}&state=${state}`)).body;
    };
    const boundOf = async ({ id }: { readonly id: number }) =>
      await gateway.db
        .selectFrom("identities")
        .select(["method", "subject"])
        .where("user_id", "=", id)
        .where("method", "<>", "email")
        .orderBy("method")
        .execute();

    test("who has only the session of somebody else binds no identity to the account, by any way", async () => {
      const alice = await userOf("alice");
      const missing = { success: false, message: "请输入当前密码", field: "password" };
      const wrong = { success: false, message: "当前密码不正确", field: "password" };
      const { hash, ...widget } = { id: "1", auth_date: "1", hash: "00" };
      expect((await alice.get("/api/oauth/state?provider=github")).body).toEqual(missing);
      expect(await askState(alice)).toEqual(missing);
      expect(await askState(alice, "guess")).toEqual(wrong);
      for (const [method, path, body] of [
        ["get", "/api/oauth/wechat/bind?code=1", {}],
        ["post", "/api/oauth/wechat/bind", { code: "1" }],
        ["get", "/api/oauth/telegram/bind?id=1&auth_date=1&hash=00", {}],
        ["post", "/api/oauth/telegram/bind", { ...widget, hash }],
      ] as const) {
        const answer = await (method === "get" ? alice.get(path) : alice.post(path, body));
        expect([path, answer.body]).toEqual([path, missing]);
      }
      const guessed = { ...widget, hash, password: "guess" };
      expect((await alice.post("/api/oauth/telegram/bind", guessed)).body).toEqual(wrong);
      // A state that was made before the sign-in, or for another method, proves nothing.
      const foreign = { ...widget, hash, state: "made-up" };
      expect((await alice.post("/api/oauth/telegram/bind", foreign)).status).toBe(403);
      expect(await boundOf(alice)).toEqual([]);
      // A visitor proves nothing to sign in.
      expect((await openBrowser(gateway, "192.0.2.1").get("/api/oauth/state")).body.success).toBe(
        true,
      );
    });

    test("guesses of the password are limited, and count together with those of its change", async () => {
      const bob = await userOf("bob");
      const statuses = [];
      for (let at = 0; at < 6; at += 1) {
        const sent = { provider: "github", password: `guess ${at}` };
        statuses.push((await bob.post("/api/oauth/state", sent)).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(await askState(bob, testPassword)).toMatchObject({ success: false });
    });

    test("an account without a password asks for a sign-in of now", async () => {
      const eve = openBrowser(gateway, `198.51.100.${client}`);
      const body = await bindGitHub(eve, 77);
      eve.headers = { "new-api-user": String(Object(body.data).id) };
      expect(await bindGitHub(eve, 77, "linuxdo")).toMatchObject({ message: "bind" });
      gateway.clock.nowMs += 6 * minuteMs;
      expect(await askState(eve)).toMatchObject({ success: false, message: "请重新登录后再试" });
    });

    test("the mail address is told what was bound, with a link that takes it back", async () => {
      const carol = await userOf("carol", "carol@example.com");
      expect(await bindGitHub(carol, 10)).toMatchObject({ message: "bind" });
      const [letter] = gateway.mails;
      expect(gateway.mails).toHaveLength(1);
      expect(letter?.to).toBe("carol@example.com");
      expect(letter?.text).toContain("user10");
      expect(letter?.text).toContain("carol");
      // Of two identities the newest link takes back both: the first is not left by the second.
      gateway.clock.nowMs += minuteMs;
      await bindGitHub(carol, 10, "linuxdo");
      expect((await boundOf(carol)).map(({ method }) => method)).toEqual(["github", "linuxdo"]);
      const [link = ""] =
        /http\S+\/user\/email\/undo\S+/.exec(gateway.mails.at(-1)?.text ?? "") ?? [];
      const sent = Object.fromEntries(URL.parse(link)?.searchParams ?? []);
      const undone = await gateway.visitor.post("/api/user/email/undo", sent);
      expect(undone.body).toMatchObject({ success: true });
      expect(await boundOf(carol)).toEqual([]);
      expect((await carol.get("/api/user/self")).status).toBe(401);
      const row = await gateway.db
        .selectFrom("users")
        .select(["email", "password_hash", "github_id", "linux_do_id"])
        .where("id", "=", carol.id)
        .executeTakeFirstOrThrow();
      expect(row).toEqual({
        email: "carol@example.com",
        password_hash: "",
        github_id: "",
        linux_do_id: "",
      });
    });

    test("without a mail address nobody is told, and what could not be mailed stays bound", async () => {
      const dave = await userOf("dave");
      expect(await bindGitHub(dave, 20)).toMatchObject({ message: "bind" });
      expect(gateway.mails).toEqual([]);
      expect(await boundOf(dave)).toHaveLength(1);
    });
  });
}
