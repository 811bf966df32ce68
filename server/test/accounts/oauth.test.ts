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

const minuteMs = 60_000;
const on = {
  GitHubOAuthEnabled: "true",
  GitHubClientId: "the client",
  GitHubClientSecret: "the client's secret",
  LinuxDOOAuthEnabled: "true",
  LinuxDOClientId: "the client",
  LinuxDOClientSecret: "the client's secret",
  ServerAddress: "https://gate.example.org",
};
const mismatch = {
  status: 403,
  body: { success: false, message: "state is empty or not same" },
};

for (const dialect of testDialects) {
  describe(`signing in by an OAuth identity on ${dialect}`, () => {
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
      await gateway.root();
    });
    beforeEach(() => {
      client += 1;
      provider.asked.length = 0;
      gateway.setOptions(on);
    });
    afterAll(async () => {
      await provider.stop();
      await gateway.close();
    });

    const visitor = (): Browser => openBrowser(gateway, `198.51.100.${client}`);
    const userOf = async (username: string) =>
      await openBrowserOf(gateway, username, `198.51.100.${client}`);
    const comeBack = async (browser: Browser, profile: Profile, type = "github") => {
      const state = await stateOf(browser);
      return await browser.get(
        `/api/oauth/${type}?code=${provider.newCode(profile)}&state=${state}`,
      );
    };
    const rowOf = async (id: unknown) =>
      await gateway.db
        .selectFrom("users")
        .selectAll()
        .where("id", "=", Number(id))
        .executeTakeFirstOrThrow();

    test("A-121, A-395: a new identity creates an account, and signs in to it the next time", async () => {
      const profile = { id: 7, login: "octo", name: "Octo 猫", email: "octo@example.com" };
      const first = visitor();
      const { status, body } = await comeBack(first, profile);
      expect([status, body]).toMatchObject([
        200,
        { success: true, message: "", data: { display_name: "Octo 猫", role: 1, status: 1 } },
      ]);
      const { id } = Object(body.data);
      first.headers = { "new-api-user": String(id) };
      expect((await first.get("/api/user/self")).body.data).toMatchObject({
        id,
        username: `github_${id}`,
        github_id: "octo",
        email: "octo@example.com",
      });
      expect(JSON.parse(provider.asked[0]?.body ?? "")).toMatchObject({
        client_id: "the client",
        client_secret: "the client's secret",
      });
      // A rename at the provider keeps the account; the next owner of the old name does not get the
      // account.
      const renamed = await comeBack(visitor(), { ...profile, login: "renamed" });
      expect(renamed.body.data).toMatchObject({ id });
      // The account is shown by its current name at the provider, which its user knows.
      expect(await rowOf(id)).toMatchObject({ github_id: "renamed" });
      const successor = await comeBack(visitor(), { id: 8, login: "octo", email: null });
      expect(Object(successor.body.data).id).not.toBe(id);
    });

    test("A-393: the invite code sent with the state counts, and the gifts are granted", async () => {
      gateway.setOptions({ ...on, QuotaForNewUser: "5", QuotaForInvitee: "2" });
      const inviter = await gateway.user("inviter");
      const { aff_code } = await rowOf(inviter.id);
      const browser = visitor();
      const state = await stateOf(browser, `?aff=${aff_code}&provider=linuxdo`);
      const code = provider.newCode({ id: 70, username: "neo", name: "" });
      const { body } = await browser.get(`/api/oauth/linuxdo?code=${code}&state=${state}`);
      const { id } = Object(body.data);
      expect(await rowOf(id)).toMatchObject({
        username: `linuxdo_${id}`,
        display_name: "neo",
        linux_do_id: "neo",
        inviter_id: inviter.id,
      });
      browser.headers = { "new-api-user": String(id) };
      expect((await browser.get("/api/user/self")).body.data).toMatchObject({ quota: 7 });
      const [asked] = provider.asked;
      expect(atob(asked?.authorization.replace("Basic ", "") ?? "")).toBe(
        "the client:the client's secret",
      );
      expect(new URLSearchParams(asked?.body).get("redirect_uri")).toBe(
        "https://gate.example.org/oauth/linuxdo",
      );
    });

    test("a state works once, for ten minutes, in its own browser and for its provider", async () => {
      const [mine, theirs] = [visitor(), visitor()];
      await stateOf(theirs);
      const back = async (browser: Browser, state: string, type = "github") =>
        await browser.get(`/api/oauth/${type}?code=${provider.newCode({ id: 1 })}&state=${state}`);
      expect(await back(mine, "")).toMatchObject(mismatch);
      expect(await back(mine, "made-up")).toMatchObject(mismatch);
      expect(await back(theirs, await stateOf(mine))).toMatchObject(mismatch);
      expect(await back(visitor(), await stateOf(mine))).toMatchObject(mismatch);
      expect(await back(mine, await stateOf(mine, "?provider=linuxdo"))).toMatchObject(mismatch);
      const late = await stateOf(mine);
      gateway.clock.nowMs += 10 * minuteMs;
      expect(await back(mine, late)).toMatchObject(mismatch);
      expect(provider.asked).toEqual([]);

      const good = await stateOf(mine);
      const path = `/api/oauth/github?state=${good}&code=`;
      const used = await mine.get(path + provider.newCode({ id: 9, login: "nine" }));
      expect(used.body.success).toBe(true);
      mine.cookies.delete("__Host-sid");
      expect(await mine.get(path + provider.newCode({ id: 9, login: "nine" }))).toMatchObject(
        mismatch,
      );
    });

    test("a sign-in state cannot bind, and a binding state cannot sign in", async () => {
      const alice = await userOf("alice");
      const forBinding = await stateOf(alice);
      alice.cookies.delete("__Host-sid");
      const code = provider.newCode({ id: 20, login: "twenty" });
      const path = `/api/oauth/github?code=${code}&state=`;
      expect(await alice.get(path + forBinding)).toMatchObject(mismatch);

      const browser = visitor();
      const forSigningIn = await stateOf(browser);
      const bob = await userOf("bob");
      bob.cookies.set("__Host-bid", browser.cookies.get("__Host-bid") ?? "");
      expect(await bob.get(path + forSigningIn)).toMatchObject(mismatch);
      expect(await rowOf(bob.id)).toMatchObject({ github_id: "" });
    });

    test("a code unknown to the provider, or a provider out of reach, is refused in words", async () => {
      const browser = visitor();
      const wrong = await browser.get(
        `/api/oauth/github?code=stolen&state=${await stateOf(browser)}`,
      );
      expect([wrong.status, wrong.body.success]).toEqual([200, false]);
      expect(wrong.body.message).not.toContain("secret");
      gateway.providers.gitHubToken = "http://127.0.0.1:1/";
      const away = await comeBack(browser, { id: 1 });
      gateway.providers.gitHubToken = provider.tokenUrl;
      expect([away.status, away.body]).toEqual([
        200,
        { success: false, message: "无法连接至 GitHub 服务器，请稍后重试！" },
      ]);
      const denied = await browser.get(
        `/api/oauth/linuxdo?error=access_denied&error_description=no%0Athanks&state=${await stateOf(browser)}`,
      );
      expect(denied.body).toEqual({ success: false, message: "no thanks" });
    });

    test("a method that is off or unknown answers 200 and a refusal", async () => {
      gateway.setOptions({});
      for (const [type, message] of [
        ["github", "管理员未开启通过 GitHub 登录以及注册"],
        ["linuxdo", "管理员未开启通过 Linux DO 登录以及注册"],
        ["oidc", "管理员未开启通过 OIDC 登录以及注册"],
        ["wechat", "管理员未开启通过微信登录以及注册"],
        ["telegram/login", "管理员未开启通过 Telegram 登录以及注册"],
        ["telegram", "没有这种登录方式"],
        ["__proto__", "没有这种登录方式"],
      ]) {
        const { status, body } = await visitor().get(`/api/oauth/${type}?code=c&state=s`);
        expect([type, status, body]).toEqual([type, 200, { success: false, message }]);
      }
    });

    test("A-187: with registration off a new identity gets no account, a known one signs in", async () => {
      const friend = { id: 30, login: "friend" };
      expect((await comeBack(visitor(), friend)).body.success).toBe(true);
      gateway.setOptions({ ...on, RegisterEnabled: "false" });
      expect((await comeBack(visitor(), friend)).body.success).toBe(true);
      expect((await comeBack(visitor(), { id: 31, login: "stranger" })).body).toEqual({
        success: false,
        message: "管理员关闭了新用户注册",
      });
    });

    test("disabled and deleted users cannot sign in by an identity", async () => {
      const root = await gateway.root();
      for (const [action, message] of [
        ["disable", "用户已被封禁"],
        ["delete", "用户已注销"],
      ]) {
        const profile = { id: action === "disable" ? 40 : 41, login: action };
        const { body } = await comeBack(visitor(), profile);
        await root.post("/api/user/manage", { id: Object(body.data).id, action });
        expect((await comeBack(visitor(), profile)).body).toEqual({ success: false, message });
      }
    });

    // P-§6.5: an e-mail address reported by a provider never opens an existing account.
    test("a provider's address that belongs to a user opens no account and is not kept", async () => {
      const owner = await gateway.user("owner");
      await gateway.db
        .updateTable("users")
        .set({ email: "owner@example.com" })
        .where("id", "=", owner.id)
        .execute();
      const { body } = await comeBack(visitor(), {
        id: 50,
        login: "x",
        email: "Owner@example.com",
      });
      const { id } = Object(body.data);
      expect(id).not.toBe(owner.id);
      expect(await rowOf(id)).toMatchObject({ email: "", github_id: "x" });
    });

    test("one person in many tabs gets one account", async () => {
      const profile = { id: 60, login: "tabs" };
      const tabs = Array.from({ length: 8 }, (_, n) => openBrowser(gateway, `192.0.2.${n}`));
      const answers = await Promise.all(tabs.map((tab) => comeBack(tab, profile)));
      const ids = answers.map(({ body }) => Object(body.data).id);
      expect(new Set(ids).size).toBe(1);
      expect(ids[0]).toBeNumber();
      const owners = await gateway.db
        .selectFrom("users")
        .select("id")
        .where("github_id", "=", "tabs")
        .execute();
      expect(owners).toHaveLength(1);
    });
  });
}
