import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole, type TestConsole } from "./open-console.ts";
import {
  type Browser,
  openBrowser,
  openBrowserOf,
  type PlayedProvider,
  playProvider,
  type Profile,
  stateOf,
} from "./play-providers.ts";

for (const dialect of testDialects) {
  describe(`binding OAuth identities on ${dialect}`, () => {
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
      gateway.setOptions({ GitHubOAuthEnabled: "true", LinuxDOOAuthEnabled: "true" });
    });
    beforeEach(() => {
      client += 1;
    });
    afterAll(async () => {
      await provider.stop();
      await gateway.close();
    });

    const userOf = async (username: string) =>
      await openBrowserOf(gateway, username, `198.51.100.${client}`);
    const comeBack = async (browser: Browser, profile: Profile, type = "github") => {
      const state = await stateOf(browser);
      return await browser.get(
        `/api/oauth/${type}?code=${provider.newCode(profile)}&state=${state}`,
      );
    };
    const selfOf = async (browser: Browser) =>
      Object((await browser.get("/api/user/self")).body.data);
    const taken = { success: false, message: "该 GitHub 账户已被绑定" };

    test("A-122, A-136, A-140: a user binds an identity, stays signed in, then signs in by it", async () => {
      const alice = await userOf("alice");
      const bound = await comeBack(alice, { id: 100, login: "alice" });
      expect(bound.body).toEqual({ success: true, message: "bind" });
      expect(await selfOf(alice)).toMatchObject({ id: alice.id, github_id: "alice" });
      const other = await comeBack(alice, { id: 100, username: "a" }, "linuxdo");
      expect(other.body.message).toBe("bind");
      expect(await selfOf(alice)).toMatchObject({ github_id: "alice", linux_do_id: "a" });

      const visitor = openBrowser(gateway, `198.51.100.${client}`);
      const back = await comeBack(visitor, { id: 100, login: "alice" });
      expect(back.body.data).toMatchObject({ id: alice.id, username: "alice" });
      const notes = await gateway.db
        .selectFrom("audit_log")
        .select(["target", "detail"])
        .where("action", "=", "user.bind")
        .where("actor_id", "=", alice.id)
        .execute();
      expect(notes.map(({ detail }) => JSON.parse(detail))).toEqual([
        { method: "github", issuer: "https://github.com", subject: "100" },
        { method: "linuxdo", issuer: "https://connect.linux.do", subject: "100" },
      ]);
    });

    test("another user's identity cannot be bound; a second one replaces the first", async () => {
      const [bob, carol] = [await userOf("bob"), await userOf("carol")];
      await comeBack(bob, { id: 200, login: "bob" });
      expect((await comeBack(carol, { id: 200, login: "bob" })).body).toEqual(taken);
      await comeBack(bob, { id: 201, login: "bob's second" });
      expect(await selfOf(bob)).toMatchObject({ github_id: "bob's second" });
      expect((await comeBack(carol, { id: 200, login: "bob" })).body.message).toBe("bind");
    });

    test("one identity is bound to one user, however many bind it at once", async () => {
      const users = await Promise.all(
        Array.from({ length: 6 }, (_, n) => openBrowserOf(gateway, `racer${n}`, `192.0.2.${n}`)),
      );
      const answers = await Promise.all(
        users.map((user) => comeBack(user, { id: 300, login: "one" })),
      );
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      for (const { body } of answers) if (!body.success) expect(body).toEqual(taken);
      const owners = await gateway.db
        .selectFrom("users")
        .select("id")
        .where("github_id", "=", "one")
        .execute();
      expect(owners).toHaveLength(1);
    });

    test("A-018, A-137, A-141: unbinding ends the sessions it opened, and frees the identity", async () => {
      const dave = await userOf("dave");
      await comeBack(dave, { id: 400, login: "dave" });
      const elsewhere = openBrowser(gateway, `198.51.100.${client}`);
      await comeBack(elsewhere, { id: 400, login: "dave" });
      elsewhere.headers = dave.headers;
      expect(await selfOf(elsewhere)).toMatchObject({ id: dave.id });

      expect((await dave.delete("/api/oauth/github/bind")).body.success).toBe(true);
      expect(await selfOf(dave)).toMatchObject({ id: dave.id, github_id: "" });
      expect((await elsewhere.get("/api/user/self")).status).toBe(401);
      const stranger = openBrowser(gateway, `198.51.100.${client}`);
      const back = await comeBack(stranger, { id: 400, login: "dave" });
      expect(Object(back.body.data).id).not.toBe(dave.id);
    });

    test("the only sign-in method cannot be unbound", async () => {
      const eve = openBrowser(gateway, `198.51.100.${client}`);
      const { body } = await comeBack(eve, { id: 500, login: "eve" });
      eve.headers = { "new-api-user": String(Object(body.data).id) };
      const refused = await eve.delete("/api/oauth/github/bind");
      expect(refused.body).toEqual({
        success: false,
        message: "这是唯一的登录方式，请先绑定邮箱或其他账户",
      });
      await comeBack(eve, { id: 500, username: "eve" }, "linuxdo");
      expect((await eve.delete("/api/oauth/github/bind")).body.success).toBe(true);
      expect((await eve.delete("/api/oauth/linuxdo/bind")).body.success).toBe(false);
      expect(await selfOf(eve)).toMatchObject({ github_id: "", linux_do_id: "eve" });
    });

    test("signing in by an identity, binding and unbinding all ask for the second factor", async () => {
      const grace = await userOf("grace");
      const profile = { id: 600, login: "grace" };
      await comeBack(grace, profile);
      await gateway.db
        .insertInto("totp_secrets")
        .values({ user_id: grace.id, sealed: "-", confirmed_at: 1, last_step: 0 })
        .execute();
      const visitor = openBrowser(gateway, `198.51.100.${client}`);
      const back = await comeBack(visitor, profile);
      expect(back.body.data).toMatchObject({ require_2fa: true });
      expect([...visitor.cookies.keys()]).toEqual(["__Host-bid"]);
      for (const answer of [
        await grace.get("/api/oauth/state"),
        await grace.delete("/api/oauth/github/bind"),
        await grace.get("/api/oauth/email/bind?email=a@example.com&code=000000"),
        await grace.get("/api/oauth/wechat/bind?code=1"),
        await grace.get("/api/oauth/telegram/bind?id=1"),
      ]) {
        expect(answer.body).toMatchObject({ success: false, message: "请先完成两步验证" });
      }
    });

    test("unbinding needs a request of the user's own page, and a known method that is bound", async () => {
      const frank = await userOf("frank");
      expect((await frank.delete("/api/oauth/nothing/bind")).body.success).toBe(false);
      expect((await frank.delete("/api/oauth/github/bind")).body).toEqual({
        success: false,
        message: "尚未绑定",
      });
      frank.headers = {};
      expect((await frank.delete("/api/oauth/github/bind")).status).toBe(401);
    });
  });
}
