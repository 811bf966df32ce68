import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

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
    /** Replaces the user's address, which requires the present password. */
    const change = async (user: Client, email: string, password = testPassword) =>
      await user.post("/api/oauth/email/bind", {
        email,
        code: await codeFor(user, email),
        password,
      });
    /** Makes a user who has bound an e-mail address. */
    const owner = async (name: string, address = `${name}@example.com`): Promise<Client> => {
      const user = await gateway.user(name);
      expect((await bind(user, address, await codeFor(user, address))).body.success).toBe(true);
      gateway.clock.nowMs += minuteMs;
      return user;
    };
    /**
     * Returns the parameters of the link in the newest e-mail to an address, which the link's page
     * sends to the API.
     */
    const undoOf = (address: string) => {
      const letter = gateway.mails.findLast(({ to }) => to === address)?.text ?? "";
      const [link = ""] = /http\S+\/user\/email\/undo\S+/.exec(letter) ?? [];
      return Object.fromEntries(URL.parse(link)?.searchParams ?? []);
    };
    const undo = async (sent: object) => await gateway.visitor.post("/api/user/email/undo", sent);
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
      const body = { email: "alice@example.net", code: next, password: testPassword };
      expect((await alice.post("/api/oauth/email/bind", body)).body.success).toBe(true);
      expect(await emailOf(alice)).toBe("alice@example.net");
    });

    test("a replaced address is free again, and no longer signs in its old owner", async () => {
      const bob = await gateway.user("bob");
      await bind(bob, "old@example.com", await codeFor(bob, "old@example.com"));
      expect((await change(bob, "new@example.com")).body.success).toBe(true);
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
      const again = { email: "dave@example.com", code, password: testPassword };
      expect((await dave.post("/api/oauth/email/bind", again)).body).toEqual(wrong);
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
      const answer = await gateway.call("DELETE", "/api/oauth/email/bind", {
        headers: erin.headers,
        body: { password: testPassword },
      });
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

    test("a session alone cannot change or remove the address, and so cannot take the account over", async () => {
      const fay = await owner("fay");
      const code = await codeFor(fay, "thief@example.com");
      const refused = { success: false, message: "请输入当前密码", field: "password" };
      expect((await bind(fay, "thief@example.com", code)).body).toMatchObject(refused);
      const wrong = { email: "thief@example.com", code, password: "guessed" };
      const guessed = await fay.post("/api/oauth/email/bind", wrong);
      expect(guessed.body).toMatchObject({ message: "当前密码不正确", field: "password" });
      expect((await fay.delete("/api/oauth/email/bind")).body).toMatchObject(refused);
      expect(await emailOf(fay)).toBe("fay@example.com");
      expect(gateway.mails.filter(({ to }) => to === "fay@example.com")).toHaveLength(1);

      const right = { ...wrong, password: testPassword };
      expect((await fay.post("/api/oauth/email/bind", right)).body.success).toBe(true);
      expect(await emailOf(fay)).toBe("thief@example.com");
    });

    test("without a password the owner has to sign in at the provider again", async () => {
      const gus = await owner("gus");
      const none = { password_hash: "" };
      await gateway.db.updateTable("users").set(none).where("id", "=", gus.id).execute();
      const { headers } = gus;
      gateway.clock.nowMs += 5 * minuteMs;
      const code = await codeFor(gus, "gus@example.net");
      const late = await bind(gus, "gus@example.net", code);
      expect([late.status, late.body.message]).toEqual([428, "请重新登录后再试"]);
      await gateway.db
        .updateTable("sessions")
        .set({ created_at: gateway.clock.nowMs })
        .where("user_id", "=", gus.id)
        .execute();
      const path = `/api/oauth/email/bind?email=gus@example.net&code=${code}`;
      expect((await gateway.call("GET", path, { headers })).body.success).toBe(true);
    });

    test("the old address gets an e-mail, and can undo the change for three days, once", async () => {
      const hana = await owner("hana");
      const other = await gateway.signIn("hana");
      const token = String((await hana.post("/api/user/token")).body.data);
      await gateway.db
        .updateTable("users")
        .set({ language: "en" })
        .where("id", "=", hana.id)
        .execute();
      expect((await change(hana, "thief@example.net")).body.success).toBe(true);
      const letter = gateway.mails.findLast(({ to }) => to === "hana@example.com");
      expect(letter?.subject).toContain("the e-mail address of your account was changed");
      const link = undoOf("hana@example.com");
      // The thief, who controls the new address, has requested a password reset there and knows its
      // token.
      gateway.clock.nowMs += minuteMs;
      await gateway.visitor.get("/api/reset_password?email=thief@example.net");
      while (gateway.mails.at(-1)?.to !== "thief@example.net") await Bun.sleep(1);
      const reset = /token=(\w+)/.exec(gateway.mails.at(-1)?.text ?? "")?.[1] ?? "";

      expect((await undo({ ...link, token: "wrong" })).body.success).toBe(false);
      expect((await undo({ ...link, user: hana.id + 1 })).body.success).toBe(false);
      expect((await undo(link)).body).toMatchObject({ success: true });
      expect((await undo(link)).body.message).toBe("链接无效或已过期");

      const row = await gateway.db
        .selectFrom("users")
        .select(["email", "password_hash", "access_token_lookup"])
        .where("id", "=", hana.id)
        .executeTakeFirstOrThrow();
      expect(row).toEqual({
        email: "hana@example.com",
        // Undoing the change removes the password, because the thief who changed the address knows
        // it.
        password_hash: "",
        access_token_lookup: null,
      });
      expect((await other.get("/api/user/self")).status).toBe(401);
      expect((await hana.get("/api/user/self")).status).toBe(401);
      const byToken = { authorization: token, "new-api-user": String(hana.id) };
      const called = await gateway.call("GET", "/api/user/self", { headers: byToken });
      expect(called.body.success).toBe(false);
      const taken = { email: "thief@example.net", token: reset };
      expect((await gateway.visitor.post("/api/user/reset", taken)).body.success).toBe(false);
      await expect(gateway.signIn("hana")).rejects.toThrow();

      // The owner regains access by a password reset, requested here.
      gateway.mails.length = 0;
      await gateway.visitor.get("/api/reset_password?email=hana@example.com");
      while (gateway.mails.length === 0) await Bun.sleep(1);
      const own = /token=(\w+)/.exec(gateway.mails[0]?.text ?? "")?.[1] ?? "";
      const made = { email: "hana@example.com", token: own };
      const { body } = await gateway.visitor.post("/api/user/reset", made);
      expect((await gateway.signIn("hana", String(body.data))).id).toBe(hana.id);
    });

    test("a link to undo is void after three days, and after an older one was used", async () => {
      const ivan = await owner("ivan");
      expect((await change(ivan, "second@example.com")).body.success).toBe(true);
      gateway.clock.nowMs += minuteMs;
      expect((await change(ivan, "third@example.com")).body.success).toBe(true);
      const [first, second] = [undoOf("ivan@example.com"), undoOf("second@example.com")];
      gateway.clock.nowMs += 71 * 60 * minuteMs;
      expect((await undo(first)).body.success).toBe(true);
      expect((await undo(second)).body.success).toBe(false);

      const jack = await owner("jack");
      expect((await change(jack, "jack@example.net")).body.success).toBe(true);
      const late = undoOf("jack@example.com");
      gateway.clock.nowMs += 72 * 60 * minuteMs;
      expect((await undo(late)).body.success).toBe(false);
    });

    test("a removed address can be restored, and what was bound since is removed", async () => {
      const kate = await owner("kate");
      const identity = { issuer: "github", method: "github", user_id: kate.id };
      const { db, clock } = gateway;
      const bound = [
        { ...identity, subject: "own", method: "linuxdo", created_at: clock.nowMs - 1 },
        { ...identity, subject: "thief", created_at: clock.nowMs + 1 },
      ];
      await db.insertInto("identities").values(bound).execute();
      const ids = { github_id: "thief", linux_do_id: "own" };
      await db.updateTable("users").set(ids).where("id", "=", kate.id).execute();
      const body = { password: testPassword };
      const { headers } = kate;
      await gateway.call("DELETE", "/api/oauth/email/bind", { headers, body });
      expect((await undo(undoOf("kate@example.com"))).body.success).toBe(true);
      const row = await db
        .selectFrom("users")
        .select(["email", "github_id", "linux_do_id"])
        .where("id", "=", kate.id)
        .executeTakeFirstOrThrow();
      expect(row).toEqual({ email: "kate@example.com", github_id: "", linux_do_id: "own" });
      const left = await db
        .selectFrom("identities")
        .select("subject")
        .where("user_id", "=", kate.id)
        .orderBy("subject")
        .execute();
      expect(left).toEqual([{ subject: "kate@example.com" }, { subject: "own" }]);
    });
  });
}
