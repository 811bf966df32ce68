import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole, type TestConsole, testPassword } from "./open-console.ts";
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
const mismatch = { status: 403, body: { success: false } };

/**
 * The OAuth sign-in methods on which the tests run. `oidc.test.ts` tests what OpenID Connect alone
 * requires.
 */
const types = ["github", "linuxdo"] as const;

for (const dialect of testDialects) {
  describe(`abuse of OAuth identities on ${dialect}`, () => {
    let gateway: TestConsole;
    let provider: PlayedProvider;
    let client = 0;
    const on = {
      GitHubOAuthEnabled: "true",
      LinuxDOOAuthEnabled: "true",
      SMTPServer: "mail.example.org",
    };
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      provider = playProvider();
      Object.assign(gateway.providers, {
        gitHubToken: provider.tokenUrl,
        gitHubUser: provider.userUrl,
        linuxDoToken: provider.tokenUrl,
        linuxDoUser: provider.userUrl,
      });
      await gateway.root();
    });
    beforeEach(() => {
      client += 1;
      gateway.setOptions(on);
    });
    afterAll(async () => {
      await provider.stop();
      await gateway.close();
    });

    const visitor = (): Browser => openBrowser(gateway, `198.51.100.${client}`);
    const back = async (browser: Browser, type: string, code: string, state: string) =>
      await browser.get(`/api/oauth/${type}?code=${code}&state=${state}`);
    const comeBack = async (browser: Browser, type: string, profile: Profile) =>
      await back(browser, type, provider.newCode(profile), await stateOf(browser));
    const idOf = (answer: { readonly body: { readonly data?: unknown } }): unknown =>
      Object(answer.body.data).id;

    for (const type of types) {
      const person = { id: 10 + client, login: "person", username: "person", name: "Person" };

      test(`${type}: a state of another browser, provider or purpose, or one used or expired is refused`, async () => {
        const [mine, theirs] = [visitor(), visitor()];
        await stateOf(theirs);
        const other = type === "github" ? "linuxdo" : "github";
        const asked = provider.asked.length;
        for (const [browser, state] of [
          [mine, ""],
          [mine, "made-up"],
          [theirs, await stateOf(mine)],
          [mine, await stateOf(mine, `?provider=${other}`)],
        ] as const) {
          expect(await back(browser, type, provider.newCode(person), state)).toMatchObject(
            mismatch,
          );
        }
        const late = await stateOf(mine);
        gateway.clock.nowMs += 10 * minuteMs;
        expect(await back(mine, type, provider.newCode(person), late)).toMatchObject(mismatch);

        const user = await openBrowserOf(gateway, `of-${type}`, `198.51.100.${client}`);
        const forBinding = await stateOf(user);
        user.cookies.delete("__Host-sid");
        expect(await back(user, type, provider.newCode(person), forBinding)).toMatchObject(
          mismatch,
        );
        // The gateway refused all these attempts by the state, so none of the codes reached the
        // provider.
        expect(provider.asked).toHaveLength(asked);
      });

      test(`${type}: when one state comes back many times at once, one signs in`, async () => {
        const browser = visitor();
        const state = await stateOf(browser);
        const { cookies } = browser;
        const answers = await Promise.all(
          Array.from({ length: 10 }, async (_, n) => {
            const tab = openBrowser(gateway, `192.0.2.${n}`);
            for (const [name, value] of cookies) tab.cookies.set(name, value);
            return await back(tab, type, provider.newCode({ ...person, id: 100 + n }), state);
          }),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(answers.filter(({ status }) => status === 403)).toHaveLength(9);
      });

      test(`${type}: a used, expired or unknown code signs nobody in`, async () => {
        const browser = visitor();
        const code = provider.newCode({ ...person, id: 200 });
        expect((await back(browser, type, code, await stateOf(browser))).body.success).toBe(true);
        const thief = visitor();
        for (const stolen of [code, "expired", ""]) {
          const answer = await back(thief, type, stolen, await stateOf(thief));
          expect([stolen, answer.body.success]).toEqual([stolen, false]);
          expect(thief.cookies.has("__Host-sid")).toBe(false);
        }
      });
    }

    // P-§6.5: the issuer's subject identifies a person; an address or a name does not.
    test("github: a changed address keeps its account; a new owner of the address does not get it", async () => {
      const first = await comeBack(visitor(), "github", {
        id: 300,
        login: "a",
        email: "a@example.com",
      });
      const moved = { id: 300, login: "renamed", email: "b@example.com" };
      expect(idOf(await comeBack(visitor(), "github", moved))).toBe(idOf(first));
      const heir = await comeBack(visitor(), "github", {
        id: 301,
        login: "a",
        email: "a@example.com",
      });
      expect(idOf(heir)).not.toBe(idOf(first));
      const rows = await gateway.db
        .selectFrom("users")
        .select(["id", "email"])
        .where("id", "in", [Number(idOf(first)), Number(idOf(heir))])
        .orderBy("id")
        .execute();
      expect(rows.map(({ email }) => email)).toEqual(["a@example.com", ""]);
    });

    test("the same number at two providers means two accounts", async () => {
      const [one, two] = [visitor(), visitor()];
      const profile = { id: 400, login: "same", username: "same" };
      const first = await comeBack(one, "github", profile);
      expect(idOf(await comeBack(two, "linuxdo", profile))).not.toBe(idOf(first));
    });

    test("linuxdo: below the minimum trust level nobody signs in or binds, not even known users", async () => {
      const profile = { id: 500, username: "level", trust_level: 1 };
      expect((await comeBack(visitor(), "linuxdo", profile)).body.success).toBe(true);
      gateway.setOptions({ ...on, LinuxDOMinimumTrustLevel: "2" });
      const no = { success: false, message: "Linux DO 信任等级未达到管理员设置的最低等级：2" };
      expect((await comeBack(visitor(), "linuxdo", profile)).body).toEqual(no);
      const silent = { id: 501, username: "silent" };
      expect((await comeBack(visitor(), "linuxdo", silent)).body).toEqual(no);
      const user = await openBrowserOf(gateway, "leveller", `198.51.100.${client}`);
      expect((await comeBack(user, "linuxdo", { ...profile, id: 502 })).body).toEqual(no);
      const known = { ...profile, trust_level: 2 };
      expect((await comeBack(visitor(), "linuxdo", known)).body.success).toBe(true);
    });

    test("one e-mailed code binds one address once, however many send it at once", async () => {
      const user = await gateway.user("mailer");
      await user.get("/api/verification?email=mailer@example.com");
      const code = /\b\d{6}\b/.exec(gateway.mails.at(-1)?.text ?? "")?.[0] ?? "";
      const path = `/api/oauth/email/bind?email=mailer@example.com&code=${code}`;
      const answers = await Promise.all(Array.from({ length: 8 }, () => user.get(path)));
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      const notes = await gateway.db
        .selectFrom("audit_log")
        .select("id")
        .where("action", "=", "user.bind")
        .where("actor_id", "=", user.id)
        .execute();
      expect(notes).toHaveLength(1);
    });

    test("twenty registrations by one invitation at once are each counted and rewarded once", async () => {
      gateway.setOptions({ ...on, QuotaForInviter: "7", QuotaForInvitee: "5" });
      const inviter = await gateway.user("inviter");
      const { aff_code } = await gateway.db
        .selectFrom("users")
        .select("aff_code")
        .where("id", "=", inviter.id)
        .executeTakeFirstOrThrow();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          gateway.call("POST", "/api/user/register", {
            body: { username: `guest${n}`, password: testPassword, aff_code },
            clientIp: `203.0.113.${n}`,
          }),
        ),
      );
      expect(answers.every(({ body }) => body.success)).toBe(true);
      expect((await inviter.get("/api/user/self")).body.data).toMatchObject({
        aff_count: 20,
        aff_quota: 140,
        aff_history_quota: 140,
      });
    });

    test("P-A10: all requests together send at most two hundred e-mails an hour", async () => {
      gateway.clock.nowMs += 61 * minuteMs;
      gateway.setOptions({ ...on, EmailVerificationEnabled: "true" });
      const ask = async (n: number) =>
        await gateway.call("GET", `/api/verification?email=x${n}@example.com`, {
          clientIp: `198.18.${n >> 8}.${n & 255}`,
        });
      for (let n = 0; n < 200; n += 1) expect([n, (await ask(n)).status]).toEqual([n, 200]);
      expect((await ask(200)).status).toBe(429);
    });
  });
}
