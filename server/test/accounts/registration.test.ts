import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Statement } from "@tollgate/contract/endpoints/entries.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Answer, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const minuteMs = 60_000;
const mailOn = { SMTPServer: "mail.example.org", EmailVerificationEnabled: "true" };

for (const dialect of testDialects) {
  describe(`registration on ${dialect}`, () => {
    let gateway: TestConsole;
    let client = 0;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    beforeEach(() => {
      client += 1;
      gateway.mails.length = 0;
      gateway.setOptions({});
    });
    afterAll(async () => await gateway.close());

    /**
     * Makes a client IP that only this test uses, so that no test uses up the limits of another.
     */
    const from = (): string => `198.51.100.${client}`;
    const send = async (path: string, body?: object, clientIp = from()): Promise<Answer> =>
      await gateway.call(body === undefined ? "GET" : "POST", path, {
        ...(body === undefined ? {} : { body }),
        clientIp,
      });
    const register = async (
      username: string,
      more: object = {},
      clientIp = from(),
    ): Promise<Answer> =>
      await send(
        "/api/user/register",
        { username, password: testPassword, password2: testPassword, aff_code: null, ...more },
        clientIp,
      );
    const verify = async (email: string, clientIp = from()): Promise<Answer> =>
      await send(
        `/api/verification?email=${encodeURIComponent(email)}&turnstile=`,
        undefined,
        clientIp,
      );
    /** Returns the code in the newest e-mail of all. */
    const code = (): string => /\b\d{6}\b/.exec(gateway.mails.at(-1)?.text ?? "")?.[0] ?? "";
    const row = async (username: string) =>
      await gateway.db
        .selectFrom("users")
        .selectAll()
        .where("username", "=", username)
        .executeTakeFirstOrThrow();

    test("A-007, A-388, A-114: a registered user can sign in, and is an ordinary user", async () => {
      expect(await register("newcomer", { email: "x@example.com" })).toMatchObject({
        status: 200,
        body: { success: true, message: "" },
      });
      const newcomer = await gateway.signIn("newcomer");
      expect(await row("newcomer")).toMatchObject({
        display_name: "newcomer",
        role: 1,
        status: 1,
        group: "default",
        inviter_id: 0,
        // The address is left out, because the provider has not verified it.
        email: "",
      });
      expect((await newcomer.get("/api/user/self")).body.data).toMatchObject({ quota: 0 });
      expect((await register("newcomer")).body).toMatchObject({
        success: false,
        message: "用户名已存在，或已注销",
      });
    });

    /** The cookie and the user-id header that a browser sends after an answer. */
    const headersAfter = ({ headers, body }: Answer) => ({
      cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "",
      "new-api-user": String((body.data as { id: number } | undefined)?.id),
    });

    test("A-114: a new user is signed in at once, in a session like any other", async () => {
      const made = await register("straight", {}, "198.51.100.200");
      const { id } = await row("straight");
      expect(made.body).toEqual({
        success: true,
        message: "",
        data: {
          id,
          username: "straight",
          display_name: "straight",
          role: 1,
          status: 1,
          group: "default",
        },
      });
      const headers = headersAfter(made);
      const self = await gateway.call("GET", "/api/user/self", { headers });
      expect(self.body.data).toMatchObject({ id, username: "straight" });
      const sessions = await gateway.call("GET", "/api/user/sessions", { headers });
      expect(sessions.body.data).toMatchObject([{ current: true, client_ip: "198.51.100.200" }]);
      const root = await gateway.root();
      const audit = await root.get("/api/audit/?actor=straight");
      const { items } = audit.body.data as { items: { action: string; client_ip: string }[] };
      expect(items.map(({ action }) => action)).toEqual(["user.login", "user.register"]);
      await gateway.call("GET", "/api/user/logout", { headers });
      expect((await gateway.call("GET", "/api/user/self", { headers })).status).toBe(401);
    });

    test("registering in a signed-in browser ends the session before it", async () => {
      const before = await gateway.user("before");
      const body = { username: "after", password: testPassword };
      const { headers } = before;
      const made = await gateway.call("POST", "/api/user/register", { headers, body });
      expect(made.body.data).toMatchObject({ username: "after" });
      expect((await before.get("/api/user/self")).status).toBe(401);
      const self = await gateway.call("GET", "/api/user/self", { headers: headersAfter(made) });
      expect(self.body.data).toMatchObject({ username: "after" });
    });

    test("another site can register nobody in a visitor's browser, and so sign nobody in", async () => {
      const body = { username: "lured", password: testPassword };
      const headers = { origin: "https://elsewhere.test" };
      const made = await gateway.call("POST", "/api/user/register", { headers, body });
      expect([made.status, made.headers.get("set-cookie")]).toEqual([403, null]);
    });

    test("no refusal signs in, and neither does a server that takes no passwords", async () => {
      const refused = await register("straight");
      expect([refused.body.success, refused.headers.get("set-cookie")]).toEqual([false, null]);
      gateway.setOptions({ PasswordLoginEnabled: "false" });
      const made = await register("waiting");
      expect(made.body).toEqual({ success: true, message: "" });
      expect(made.headers.get("set-cookie")).toBeNull();
    });

    test("A-112, A-113: names have up to 12 characters, passwords 8 to 128", async () => {
      for (const [username, password, done] of [
        ["a".repeat(13), testPassword, false],
        ["b".repeat(12), "p".repeat(129), false],
        ["b".repeat(12), "1234567", false],
        ["b".repeat(12), "p".repeat(128), true],
        ["", testPassword, false],
        ["me@example.c", testPassword, false],
      ] as const) {
        const { status, body } = await register(username, { password });
        expect([username, status, body.success]).toEqual([username, 200, done]);
      }
    });

    test("A-187: registration, or registration by password, can be switched off, answering 200", async () => {
      gateway.setOptions({ RegisterEnabled: "false" });
      const off = { success: false, message: "管理员关闭了新用户注册" };
      expect(await register("late")).toMatchObject({ status: 200, body: off });
      gateway.setOptions({ ...mailOn, RegisterEnabled: "false" });
      expect(await verify("late@example.com")).toMatchObject({ status: 200, body: off });
      expect(gateway.mails).toEqual([]);
      gateway.setOptions({ PasswordRegisterEnabled: "false" });
      const byPassword = { success: false, message: expect.stringContaining("通过密码进行注册") };
      expect(await register("late")).toMatchObject({ status: 200, body: byPassword });
    });

    test("the name of a deleted user stays taken", async () => {
      const gone = await gateway.user("away");
      await (await gateway.root()).post("/api/user/manage", { id: gone.id, action: "delete" });
      expect((await register("away")).body.success).toBe(false);
    });

    test("A-161, A-332, A-333: gifts are ledger entries that count once, and the inviter earns", async () => {
      const inviter = await gateway.user("inviter");
      gateway.setOptions({
        QuotaForNewUser: "100",
        QuotaForInvitee: "20",
        QuotaForInviter: "3",
      });
      const { aff_code } = await row("inviter");
      for (const username of ["guest1", "guest2"]) {
        expect((await register(username, { aff_code })).body.success).toBe(true);
      }
      expect((await register("alone", { aff_code: "nobody's" })).body.success).toBe(true);

      const { id, inviter_id } = await row("guest1");
      expect(inviter_id).toBe(inviter.id);
      const entries = await gateway.db
        .selectFrom("entries")
        .select(["cause", "kind", "amount"])
        .where("user_id", "=", id)
        .orderBy("seq")
        .execute();
      // No admin has adjusted anything, so the statement does not say that one has.
      expect(entries).toEqual([
        { cause: `gift:${id}`, kind: "gift", amount: 100 },
        { cause: `invite:${id}`, kind: "invite", amount: 20 },
      ]);
      const guest = await gateway.signIn("guest1");
      const { totals } = (await guest.get("/api/user/self/entries")).body.data as Statement;
      expect(totals).toContainEqual({ kind: "gift", amount: 100 });
      expect((await guest.get("/api/user/self")).body.data).toMatchObject({ quota: 120 });
      expect((await inviter.get("/api/user/self")).body.data).toMatchObject({
        quota: 0,
        aff_count: 2,
        aff_quota: 6,
        aff_history_quota: 6,
      });
      expect(await row("alone")).toMatchObject({ inviter_id: 0 });

      // The invite code of a disabled user counts as none: neither user gets a gift.
      const root = await gateway.root();
      await root.post("/api/user/manage", { id: inviter.id, action: "disable" });
      expect((await register("guest3", { aff_code })).body.success).toBe(true);
      const uninvited = await row("guest3");
      expect(uninvited).toMatchObject({ inviter_id: 0 });
      expect(
        await gateway.db
          .selectFrom("affiliates")
          .select("aff_count")
          .where("user_id", "=", inviter.id)
          .executeTakeFirst(),
      ).toEqual({ aff_count: 2 });
    });

    test("P-A10: a client IP can create five accounts an hour; failed attempts do not count", async () => {
      const clientIp = "2001:db8:7::1";
      for (let count = 0; count < 4; count += 1) await register("inviter", {}, clientIp);
      for (let count = 0; count < 5; count += 1) {
        expect((await register(`many${count}`, {}, clientIp)).body.success).toBe(true);
      }
      expect((await register("many5", {}, "2001:db8:7::2")).status).toBe(429);
      expect((await register("many5")).body.success).toBe(true);
    });

    test("A-390: with verification on, an account needs the code sent to its address", async () => {
      gateway.setOptions(mailOn);
      expect((await register("proven")).body.message).toContain("管理员开启了邮箱验证");
      expect((await verify("Proven@Example.com")).body).toMatchObject({ success: true });
      const [mail] = gateway.mails;
      expect(mail).toMatchObject({ to: "proven@example.com" });
      expect(mail?.subject).toContain(code());

      const wrong = { success: false, message: "验证码错误或已过期" };
      const other = { email: "other@example.com", verification_code: code() };
      expect((await register("proven", other)).body).toMatchObject(wrong);
      expect((await register("proven", other)).headers.get("set-cookie")).toBeNull();
      const right = { email: " proven@example.com ", verification_code: code() };
      const made = await register("proven", right);
      expect(made.body.success).toBe(true);
      const self = await gateway.call("GET", "/api/user/self", { headers: headersAfter(made) });
      expect(self.body.data).toMatchObject({ email: "proven@example.com" });
      expect(await row("proven")).toMatchObject({ email: "proven@example.com" });
      expect((await register("again", right)).body).toMatchObject(wrong);
      expect((await gateway.signIn("Proven@example.com")).id).toBe((await row("proven")).id);
    });

    test("a taken name does not use up the code", async () => {
      gateway.setOptions(mailOn);
      await verify("second@example.com");
      const proof = { email: "second@example.com", verification_code: code() };
      expect((await register("root", proof)).body.message).toBe("用户名已存在，或已注销");
      expect((await register("second", proof)).body.success).toBe(true);
    });

    test("A-455: a code works for three minutes", async () => {
      gateway.setOptions(mailOn);
      await verify("slow@example.com");
      const proof = { email: "slow@example.com", verification_code: code() };
      gateway.clock.nowMs += 3 * minuteMs;
      expect((await register("slow", proof)).body.success).toBe(false);
      await verify("slow@example.com");
      proof.verification_code = code();
      gateway.clock.nowMs += 3 * minuteMs - 1;
      expect((await register("slow", proof)).body.success).toBe(true);
    });

    test("five wrong codes void the right one, and a new code works", async () => {
      gateway.setOptions(mailOn);
      await verify("guess@example.com");
      const right = code();
      const wrong = right === "000000" ? "000001" : "000000";
      for (let count = 0; count < 5; count += 1) {
        await register("guess", { email: "guess@example.com", verification_code: wrong });
      }
      const proof = { email: "guess@example.com", verification_code: right };
      expect((await register("guess", proof)).body.success).toBe(false);
      gateway.clock.nowMs += minuteMs;
      await verify("guess@example.com");
      proof.verification_code = code();
      expect((await register("guess", proof)).body.success).toBe(true);
    });

    test("one code creates one account, however many send it at once", async () => {
      gateway.setOptions(mailOn);
      await verify("race@example.com");
      const proof = { email: "race@example.com", verification_code: code() };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => register(`race${n}`, proof, `192.0.2.${n}`)),
      );
      expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
      const owners = await gateway.db
        .selectFrom("users")
        .select("id")
        .where("email", "=", "race@example.com")
        .execute();
      expect(owners).toHaveLength(1);
    });

    test("P-A10: an address gets an e-mail every 30 seconds at most, and five an hour", async () => {
      gateway.setOptions(mailOn);
      for (let count = 0; count < 5; count += 1) {
        expect((await verify("often@example.com")).status).toBe(200);
        expect((await verify("often@example.com", "192.0.2.250")).status).toBe(429);
        gateway.clock.nowMs += 30_000;
      }
      expect((await verify("often@example.com", "192.0.2.251")).status).toBe(429);
      expect(gateway.mails).toHaveLength(5);
      // The limit is ten e-mails an hour from one client IP.
      for (let count = 0; count < 5; count += 1) await verify(`often${count}@example.com`);
      expect((await verify("often9@example.com")).status).toBe(429);
      expect(gateway.mails).toHaveLength(10);
    });

    test("only the owner of a taken address learns that it is taken", async () => {
      gateway.setOptions(mailOn);
      await gateway.user("holder");
      await gateway.db
        .updateTable("users")
        .set({ email: "holder@example.com" })
        .where("username", "=", "holder")
        .execute();
      const free = await verify("free@example.com");
      const taken = await verify("holder@example.com");
      expect(taken.body).toEqual(free.body);
      expect(taken.status).toBe(free.status);
      expect(gateway.mails.map(({ to }) => to)).toEqual(["free@example.com", "holder@example.com"]);
      expect(code()).toBe("");
    });

    test("root's rules for domains and aliases apply to codes", async () => {
      const rules = {
        ...mailOn,
        EmailDomainRestrictionEnabled: "true",
        EmailDomainWhitelist: "example.com",
        EmailAliasRestrictionEnabled: "true",
      };
      gateway.setOptions(rules);
      for (const email of [
        "a@example.org",
        "a@sub.example.com",
        "a+b@example.com",
        "a.b@example.com",
      ]) {
        expect([email, (await verify(email)).body.success]).toEqual([email, false]);
      }
      expect((await verify("ab@example.com")).body.success).toBe(true);
      expect(gateway.mails).toHaveLength(1);
    });

    test("P-I4: anything but one plain address gets no e-mail", async () => {
      gateway.setOptions(mailOn);
      for (const email of [
        "a@example.com,b@example.com",
        "a@example.com\r\nBcc: b@example.com",
        "A <a@example.com>",
        "a@example",
        `${"a".repeat(65)}@example.com`,
        "a@@example.com",
      ]) {
        const { status, body } = await verify(email);
        expect([email, status, body.success]).toEqual([email, 200, false]);
      }
      expect(gateway.mails).toEqual([]);
    });

    test("another site cannot cause e-mails, and a missing mail server is reported", async () => {
      const headers = { "sec-fetch-site": "cross-site" };
      const path = "/api/verification?email=a@example.com";
      expect((await gateway.call("GET", path, { headers })).status).toBe(403);
      expect((await verify("a@example.com")).body.message).toBe("管理员未配置邮件服务");
    });
  });
}
