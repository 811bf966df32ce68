import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const minuteMs = 60_000;

for (const dialect of testDialects) {
  describe(`password reset on ${dialect}`, () => {
    let gateway: TestConsole;
    let client = 0;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
    });
    beforeEach(() => {
      client += 1;
      // Moves the clock past the limit on e-mails to one address.
      gateway.clock.nowMs += 61 * minuteMs;
      gateway.mails.length = 0;
      gateway.setOptions({
        SMTPServer: "mail.example.org",
        ServerAddress: "https://gate.example.org",
      });
    });
    afterAll(async () => await gateway.close());

    const ask = async (email: string) =>
      await gateway.call("GET", `/api/reset_password?email=${email}&turnstile=`, {
        clientIp: `198.51.100.${client}`,
      });
    const reset = async (email: string, token: string) =>
      await gateway.call("POST", "/api/user/reset", {
        body: { email, token },
        clientIp: `198.51.100.${client}`,
      });
    /** Waits for the e-mail, which is sent after the answer. */
    const linkOf = async (email: string): Promise<URL> => {
      expect((await ask(email)).body).toMatchObject({ success: true, message: "" });
      for (;;) {
        const mail = gateway.mails.find(({ to }) => to === email.toLowerCase());
        const [link] = /https:\S+/.exec(mail?.text ?? "") ?? [];
        if (link !== undefined) return new URL(link);
        await Bun.sleep(1);
      }
    };
    const tokenOf = async (email: string): Promise<string> =>
      (await linkOf(email)).searchParams.get("token") ?? "";
    const setMail = async ({ id }: Client, email: string): Promise<void> => {
      await gateway.db.updateTable("users").set({ email }).where("id", "=", id).execute();
    };
    const refused = { success: false, message: "重置链接非法或已过期" };

    test("an old session and the id of another tab do not keep anybody from a new password", async () => {
      const ann = await gateway.user("ann");
      const headers = { ...ann.headers, "new-api-user": "-1" };
      const asked = await gateway.call("GET", "/api/reset_password?email=nobody@example.com", {
        headers,
        clientIp: `198.51.100.${client}`,
      });
      expect(asked).toMatchObject({ status: 200, body: { success: true } });
      // Whoever leaves, leaves: the session ends whatever the header says.
      expect(await gateway.call("GET", "/api/user/logout", { headers })).toMatchObject({
        status: 200,
        body: { success: true },
      });
      expect((await ann.get("/api/user/self")).status).toBe(401);
    });

    test("A-391, A-392: the link sets a password once, and ends sessions and access tokens", async () => {
      const alice = await gateway.user("alice");
      await setMail(alice, "alice@example.com");
      const accessToken = String((await alice.get("/api/user/token")).body.data);
      const link = await linkOf("ALICE@example.com");
      expect(link.origin + link.pathname).toBe("https://gate.example.org/user/reset");
      expect(link.searchParams.get("email")).toBe("alice@example.com");
      expect(gateway.mails[0]).toMatchObject({ to: "alice@example.com" });

      const token = link.searchParams.get("token") ?? "";
      const { body, headers } = await reset("alice@example.com", token);
      const password = String(body.data);
      expect(password).toMatch(/^[0-9A-Za-z]{20,}$/);
      expect(headers.get("cache-control")).toContain("no-store");
      expect((await alice.get("/api/user/self")).status).toBe(401);
      const headersOfToken = { authorization: accessToken, "new-api-user": String(alice.id) };
      const byToken = await gateway.call("GET", "/api/user/self", { headers: headersOfToken });
      expect(byToken.body.success).toBe(false);
      const signedIn = await gateway.signIn("alice", password);
      expect(signedIn.id).toBe(alice.id);
      // P-§6.5: an answer has shown this new password, so a session opened with it may only choose
      // another password.
      expect((await signedIn.get("/api/token/")).body.message).toBe("请先修改密码，再继续使用");
      await expect(gateway.signIn("alice", testPassword)).rejects.toThrow();

      expect((await reset("alice@example.com", token)).body).toEqual(refused);
    });

    test("one link sets one password, however many use it at once", async () => {
      await setMail(await gateway.user("racer"), "racer@example.com");
      const token = await tokenOf("racer@example.com");
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => reset("racer@example.com", token)),
      );
      const passwords = answers.filter(({ body }) => body.success);
      expect(passwords).toHaveLength(1);
      await gateway.signIn("racer", String(passwords[0]?.body.data));
    });

    test("an unknown address, or one that two users share, gets the same answer and no e-mail", async () => {
      await setMail(await gateway.user("one"), "shared@example.com");
      await setMail(await gateway.user("two"), "shared@example.com");
      await setMail(await gateway.user("known"), "known@example.com");
      const unknown = await ask("unknown@example.com");
      const shared = await ask("shared@example.com");
      await linkOf("known@example.com");
      const known = { status: 200, body: { success: true, message: "" } };
      expect([unknown, shared]).toMatchObject([known, known]);
      expect(gateway.mails.map(({ to }) => to)).toEqual(["known@example.com"]);
    });

    test("a disabled or deleted user gets neither e-mail nor password", async () => {
      const root = await gateway.root();
      for (const action of ["disable", "delete"] as const) {
        const name = `to${action}`;
        const user = await gateway.user(name);
        await setMail(user, `${name}@example.com`);
        const token = await tokenOf(`${name}@example.com`);
        await root.post("/api/user/manage", { id: user.id, action });
        expect((await reset(`${name}@example.com`, token)).body).toEqual(refused);

        gateway.clock.nowMs += minuteMs;
        gateway.mails.length = 0;
        expect((await ask(`${name}@example.com`)).body.success).toBe(true);
        const after = await gateway.user(`after${action}`);
        await setMail(after, `${action}@example.com`);
        await linkOf(`${action}@example.com`);
        expect(gateway.mails.map(({ to }) => to)).toEqual([`${action}@example.com`]);
      }
    });

    test("a link works for ten minutes, for its own address, while the user still has it", async () => {
      const bob = await gateway.user("bob");
      await setMail(await gateway.user("carol"), "carol@example.com");
      await setMail(bob, "bob@example.com");
      const token = await tokenOf("bob@example.com");
      expect((await reset("carol@example.com", token)).body).toEqual(refused);
      await setMail(bob, "bob@example.net");
      expect((await reset("bob@example.com", token)).body).toEqual(refused);
      expect((await reset("bob@example.net", token)).body).toEqual(refused);

      gateway.mails.length = 0;
      const late = await tokenOf("bob@example.net");
      gateway.clock.nowMs += 10 * minuteMs;
      expect((await reset("bob@example.net", late)).body).toEqual(refused);
      await gateway.signIn("bob");
    });

    test("option PasswordResetMinutes: a link is valid for that long, and its e-mail says so", async () => {
      const frank = await gateway.user("frank");
      await setMail(frank, "frank@example.com");
      gateway.setOptions({
        SMTPServer: "mail.example.org",
        ServerAddress: "https://gate.example.org",
        PasswordResetMinutes: "30",
      });
      const token = await tokenOf("frank@example.com");
      expect(gateway.mails[0]?.text).toContain(" 30 分钟内有效");
      gateway.clock.nowMs += 30 * minuteMs - 1;
      expect((await reset("frank@example.com", token)).body.success).toBe(true);

      gateway.mails.length = 0;
      const late = await tokenOf("frank@example.com");
      gateway.clock.nowMs += 30 * minuteMs;
      expect((await reset("frank@example.com", late)).body).toEqual(refused);
    });

    test("wrong tokens do not void a link, but the number of attempts is limited", async () => {
      await setMail(await gateway.user("dora"), "dora@example.com");
      const token = await tokenOf("dora@example.com");
      for (let count = 0; count < 19; count += 1) {
        expect((await reset("dora@example.com", `wrong${count}`)).body).toEqual(refused);
      }
      expect((await reset("dora@example.com", token)).body.success).toBe(true);
      await reset("dora@example.com", "wrong");
      expect((await reset("dora@example.com", "wrong")).status).toBe(429);
    });

    test("without a public address a link leads to this machine, whatever the Host header says", async () => {
      gateway.setOptions({ SMTPServer: "mail.example.org" });
      await setMail(await gateway.user("erin"), "erin@example.com");
      const headers = { host: "evil.example.net", "x-forwarded-host": "evil.example.net" };
      await gateway.call("GET", "/api/reset_password?email=erin@example.com", { headers });
      while (gateway.mails.length === 0) await Bun.sleep(1);
      expect(gateway.mails[0]?.text).toContain("\nhttp://localhost:3000/user/reset?email=");
    });
  });
}
