import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole } from "./open-console.ts";

const minuteMs = 60_000;

for (const dialect of testDialects) {
  describe(`binding an e-mail address on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    beforeEach(() => {
      gateway.clock.nowMs += 61 * minuteMs;
      gateway.mails.length = 0;
      gateway.setOptions({ SMTPServer: "mail.example.org", EmailVerificationEnabled: "true" });
    });
    afterAll(async () => await gateway.close());

    /** Requests a code for an address as this user, and reads it from the e-mail. */
    const codeFor = async (user: Client, email: string): Promise<string> => {
      const answer = await user.get(`/api/verification?email=${email}`);
      expect(answer.body).toMatchObject({ success: true });
      return /\b\d{6}\b/.exec(gateway.mails.at(-1)?.text ?? "")?.[0] ?? "";
    };
    const bind = async (user: Client, email: string, code: string) =>
      await user.get(`/api/oauth/email/bind?email=${email}&code=${code}`);
    const emailOf = async (user: Client) =>
      Object(await user.get("/api/user/self").then(({ body }) => body.data)).email;
    const wrong = { success: false, message: "验证码错误或已过期" };

    test("A-132, A-398: a code binds its address by this console's call and by the older one", async () => {
      const alice = await gateway.user("alice");
      const code = await codeFor(alice, "Alice@example.com");
      const { cookie = "" } = alice.headers;
      const path = `/api/oauth/email/bind?email=alice@example.com&code=${code}`;
      expect((await gateway.call("GET", path, { headers: { cookie } })).status).toBe(401);
      const foreign = { ...alice.headers, origin: "https://evil.example" };
      expect((await gateway.call("GET", path, { headers: foreign })).status).toBe(403);
      expect((await bind(alice, "alice@example.com", code)).body).toMatchObject({ success: true });
      expect(await emailOf(alice)).toBe("alice@example.com");

      gateway.clock.nowMs += minuteMs;
      const next = await codeFor(alice, "alice@example.net");
      const body = { email: "alice@example.net", code: next };
      expect((await alice.post("/api/oauth/email/bind", body)).body.success).toBe(true);
      expect(await emailOf(alice)).toBe("alice@example.net");
    });

    test("a replaced address is free again, and no longer signs in its old owner", async () => {
      const bob = await gateway.user("bob");
      await bind(bob, "old@example.com", await codeFor(bob, "old@example.com"));
      await bind(bob, "new@example.com", await codeFor(bob, "new@example.com"));
      await expect(gateway.signIn("old@example.com")).rejects.toThrow();
      gateway.clock.nowMs += minuteMs;
      const carol = await gateway.user("carol");
      const code = await codeFor(carol, "old@example.com");
      expect((await bind(carol, "old@example.com", code)).body.success).toBe(true);
      expect((await gateway.signIn("old@example.com")).id).toBe(carol.id);
    });

    test("a user whose name is somebody's address does not receive the owner's sign-in", async () => {
      const owner = await gateway.user("owner");
      await bind(owner, "me@qq.com", await codeFor(owner, "me@qq.com"));
      const thief = await gateway.user("thief");
      const username = "me@qq.com";
      await gateway.db.updateTable("users").set({ username }).where("id", "=", thief.id).execute();
      expect((await gateway.signIn("me@qq.com")).id).toBe(owner.id);
    });

    test("a code works once, for the user who requested it, its address and its purpose", async () => {
      const [dave, mallory] = [await gateway.user("dave"), await gateway.user("mallory")];
      const code = await codeFor(dave, "dave@example.com");
      expect((await bind(mallory, "dave@example.com", code)).body).toEqual(wrong);
      expect((await bind(dave, "else@example.com", code)).body).toEqual(wrong);
      const account = { username: "thief", password: "correct horse" };
      const proof = { email: "dave@example.com", verification_code: code };
      const registered = await gateway.visitor.post("/api/user/register", { ...account, ...proof });
      expect(registered.body).toEqual(wrong);
      expect((await bind(dave, "dave@example.com", code)).body.success).toBe(true);
      expect((await bind(dave, "dave@example.com", code)).body).toEqual(wrong);
    });

    test("when two users prove the same address at once, only one gets it", async () => {
      const [one, two] = [await gateway.user("one"), await gateway.user("two")];
      const first = await codeFor(one, "both@example.com");
      gateway.clock.nowMs += minuteMs;
      const second = await codeFor(two, "both@example.com");
      const answers = await Promise.all([
        bind(one, "both@example.com", first),
        bind(two, "both@example.com", second),
      ]);
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      const owners = await gateway.db
        .selectFrom("users")
        .select("id")
        .where("email", "=", "both@example.com")
        .execute();
      expect(owners).toHaveLength(1);
    });

    test("A-133: unbinding empties the address, ends other sessions and the access token", async () => {
      const erin = await gateway.user("erin");
      await bind(erin, "erin@example.com", await codeFor(erin, "erin@example.com"));
      const other = await gateway.signIn("erin@example.com");
      const token = String((await erin.get("/api/user/token")).body.data);
      const answer = await erin.delete("/api/oauth/email/bind");
      expect(answer.body).toMatchObject({ success: true });
      const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      const now = { cookie, "new-api-user": String(erin.id) };
      const self = await gateway.call("GET", "/api/user/self", { headers: now });
      expect(self.body.data).toMatchObject({ email: "" });
      expect((await other.get("/api/user/self")).status).toBe(401);
      expect((await erin.get("/api/user/self")).status).toBe(401);
      const byToken = { authorization: token, "new-api-user": String(erin.id) };
      const called = await gateway.call("GET", "/api/user/self", { headers: byToken });
      expect(called.body.success).toBe(false);
      const again = await gateway.call("DELETE", "/api/oauth/email/bind", { headers: now });
      expect(again.body).toEqual({ success: false, message: "尚未绑定" });
    });
  });
}
