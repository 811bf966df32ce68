import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { updateOption } from "@tollgate/contract/options/options.ts";
import { secondFactors } from "@tollgate/contract/endpoints/second-factor.ts";
import { secondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { role, shortUser } from "@tollgate/contract/endpoints/users.ts";
import { Secret, TOTP } from "otpauth";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { type Client, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const minuteMs = 60_000;
const codesOf = z.object({ recovery_codes: z.array(z.string()) });

for (const dialect of testDialects) {
  describe(`second factor on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      gateway.setOptions({ ServerAddress: "https://gateway.test" });
      await gateway.root();
    });
    afterAll(async () => await gateway.close());

    const codeAt = (secret: string, atMs = gateway.clock.nowMs): string =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });
    /** Gives a code of the authenticator app that was not used before. */
    const nextCode = (secret: string): string => {
      gateway.clock.nowMs += 30_000;
      return codeAt(secret);
    };

    async function enable(client: Client): Promise<{ secret: string; codes: string[] }> {
      const made = await client.post("/api/user/2fa/setup", { password: testPassword });
      const { secret } = z.object({ secret: z.string() }).parse(made.body.data);
      const enabled = await client.post("/api/user/2fa/enable", { code: nextCode(secret) });
      return { secret, codes: codesOf.parse(enabled.body.data).recovery_codes };
    }
    const statusOf = async (client: Client) =>
      secondFactors.parse((await client.get("/api/user/2fa")).body.data);
    async function ticketOf(username: string): Promise<string> {
      const body = { username, password: testPassword };
      const { body: answer } = await gateway.call("POST", "/api/user/login", { body });
      return secondFactorNeeded.parse(answer.data).ticket;
    }
    const finish = async (ticket: string, code: string) =>
      await gateway.call("POST", "/api/user/login/2fa", { body: { ticket, code } });
    const clientOf = async (username: string, code: string): Promise<Client> => {
      const answer = await finish(await ticketOf(username), code);
      const { id } = shortUser.parse(answer.body.data);
      const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
      const headers = { cookie, "new-api-user": String(id) };
      const call = async (method: string, path: string, body?: object) =>
        await gateway.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
      return {
        id,
        username,
        headers,
        get: (path) => call("GET", path),
        post: (path, body) => call("POST", path, body),
        put: (path, body) => call("PUT", path, body),
        delete: (path) => call("DELETE", path),
      };
    };

    test("an app counts after its first valid code, and the first factor brings ten recovery codes", async () => {
      const alice = await gateway.user("alice");
      const setUp = async (password?: string) =>
        await alice.post("/api/user/2fa/setup", { password });
      expect((await setUp()).body).toMatchObject({ success: false, message: "请输入当前密码" });
      expect((await setUp("wrong")).body.message).toBe("当前密码不正确");
      const made = (await setUp(testPassword)).body.data;
      const { secret, uri } = z.object({ secret: z.string(), uri: z.string() }).parse(made);
      expect(uri).toStartWith("otpauth://totp/Tollgate:alice?issuer=Tollgate&secret=");
      expect(await statusOf(alice)).toMatchObject({ enabled: false, totp: false });
      // A set-up that was not finished does not lock the user out.
      expect((await gateway.signIn("alice")).id).toBe(alice.id);

      const enable = async (code: string) => await alice.post("/api/user/2fa/enable", { code });
      expect((await enable("000000")).body.message).toBe("验证码错误或已被使用");
      const codes = codesOf.parse((await enable(codeAt(secret))).body.data).recovery_codes;
      expect(new Set(codes).size).toBe(10);
      for (const code of codes) expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/);
      expect(await statusOf(alice)).toEqual({
        enabled: true,
        totp: true,
        passkeys: [],
        recovery_codes_left: 10,
        asks_password: true,
        passkeys_available: true,
      });
      const stored = [
        ...(await gateway.db.selectFrom("totp_secrets").selectAll().execute()),
        ...(await gateway.db.selectFrom("recovery_codes").selectAll().execute()),
      ];
      for (const clear of [secret, ...codes]) expect(JSON.stringify(stored)).not.toContain(clear);
    });

    test("a password alone does not sign in: the sign-in continues with a ticket and a code", async () => {
      const bob = await gateway.user("bob");
      const { secret } = await enable(bob);
      const body = { username: "bob", password: testPassword };
      const first = await gateway.call("POST", "/api/user/login", { body });

      expect(first.headers.get("set-cookie")).toBeNull();
      expect(first.body.data).toEqual({
        require_2fa: true,
        ticket: expect.any(String),
        methods: ["totp", "recovery"],
      });
      const { ticket } = secondFactorNeeded.parse(first.body.data);
      const code = nextCode(secret);
      expect((await finish(ticket, "12345")).body.message).toBe("验证码错误或已被使用");
      const second = await finish(ticket, code);
      expect(second.body.data).toMatchObject({ id: bob.id, username: "bob", role: 1 });
      expect(second.headers.get("set-cookie")).toStartWith("__Host-sid=");

      // The ticket works once, and each code of the app works once.
      expect((await finish(ticket, nextCode(secret))).body.message).toBe("操作已过期，请重新开始");
      const used = codeAt(secret);
      expect((await finish(await ticketOf("bob"), used)).body.success).toBe(true);
      expect((await finish(await ticketOf("bob"), used)).body.message).toBe("验证码错误或已被使用");
      expect((await finish(await ticketOf("bob"), code)).body.success).toBe(false);
    });

    test("a code is valid in the step before and after its own, and no further", async () => {
      const carol = await gateway.user("carol");
      const { secret } = await enable(carol);
      gateway.clock.nowMs += 10 * minuteMs;
      const at = async (steps: number) =>
        (
          await finish(
            await ticketOf("carol"),
            codeAt(secret, gateway.clock.nowMs + steps * 30_000),
          )
        ).body.success;

      expect(await at(-2)).toBe(false);
      expect(await at(2)).toBe(false);
      expect(await at(-1)).toBe(true);
      expect(await at(0)).toBe(true);
      expect(await at(1)).toBe(true);
    });

    test("after a code, too, a password that was given needs only the new one", async () => {
      const gina = await gateway.user("gina");
      const { secret } = await enable(gina);
      const users = gateway.db.updateTable("users").set({ password_expired: 1 });
      await users.where("id", "=", gina.id).execute();
      const again = await clientOf("gina", nextCode(secret));
      const { body } = await gateway.call("PUT", "/api/user/self", {
        headers: again.headers,
        body: { password: "chosen by myself" },
      });
      expect(body).toMatchObject({ success: true });
    });

    test("five minutes or five wrong codes end a ticket; ten wrong codes stop the user", async () => {
      const dave = await gateway.user("dave");
      const { secret } = await enable(dave);
      const late = await ticketOf("dave");
      gateway.clock.nowMs += 5 * minuteMs + 1;
      expect((await finish(late, codeAt(secret))).body.message).toBe("操作已过期，请重新开始");

      for (const _ of [1, 2]) {
        const ticket = await ticketOf("dave");
        for (let count = 0; count < 5; count += 1) await finish(ticket, "000000");
        expect((await finish(ticket, nextCode(secret))).body.message).toBe(
          "操作已过期，请重新开始",
        );
      }
      expect((await finish(await ticketOf("dave"), nextCode(secret))).status).toBe(429);
      gateway.clock.nowMs += 15 * minuteMs;
      expect((await finish(await ticketOf("dave"), nextCode(secret))).body.success).toBe(true);
    });

    test("a user who is disabled in between cannot sign in with an open ticket", async () => {
      const erin = await gateway.user("erin");
      const { secret } = await enable(erin);
      const ticket = await ticketOf("erin");
      const root = await gateway.root();
      await root.post("/api/user/manage", { id: erin.id, action: "disable" });
      expect((await finish(ticket, nextCode(secret))).body.success).toBe(false);
    });

    test("of fifty uses of one recovery code at the same time one signs in", async () => {
      const frank = await gateway.user("frank");
      const { codes } = await enable(frank);
      const [code = "", second = ""] = codes;
      const tickets: string[] = [];
      while (tickets.length < 50) tickets.push(await ticketOf("frank"));
      const answers = await Promise.all(tickets.map((ticket) => finish(ticket, code)));

      expect(answers.filter(({ body }) => body.success === true)).toHaveLength(1);
      expect(await statusOf(frank)).toMatchObject({ recovery_codes_left: 9 });
      gateway.clock.nowMs += 15 * minuteMs;
      const typed = ` ${second.toUpperCase().replace("-", " ")} `;
      expect((await finish(await ticketOf("frank"), typed)).body.success).toBe(true);
      expect((await finish(await ticketOf("frank"), code)).body.success).toBe(false);
    });

    test("new recovery codes void the old ones, and codes of another user do not work", async () => {
      const grace = await gateway.user("grace");
      const { secret, codes } = await enable(grace);
      const other = await enable(await gateway.user("grace2"));
      const fresh = await clientOf("grace", nextCode(secret));
      const renewed = await fresh.post("/api/user/2fa/recovery_codes", {});
      const [newCode = ""] = codesOf.parse(renewed.body.data).recovery_codes;

      for (const wrong of [codes[0] ?? "", other.codes[0] ?? ""]) {
        expect((await finish(await ticketOf("grace"), wrong)).body.success).toBe(false);
      }
      expect((await finish(await ticketOf("grace"), newCode)).body.success).toBe(true);
    });

    // P-§6.5: the second factor must have been proven within five minutes by the server's clock,
    // and the session stores when it was.
    test("dangerous actions ask users with a second factor to prove it again", async () => {
      const admin = await gateway.user("heidi", role.enum.admin);
      const { secret } = await enable(admin);
      const client = await clientOf("heidi", nextCode(secret));
      const guarded: [string, () => ReturnType<Client["get"]>][] = [
        ["new password", () => client.put("/api/user/self", { password: "another horse" })],
        ["access token", () => client.post("/api/user/token")],
        ["all keys", () => client.post("/api/token/batch/keys", { ids: [1] })],
        ["a new key", () => client.post("/api/token/1/rotate", { old_key_seconds: 0 })],
        ["roles", () => client.post("/api/user/manage", { id: 999_999, action: "promote" })],
        [
          "someone's password",
          () => client.put("/api/user/", { id: 999_999, password: "x".repeat(9) }),
        ],
        ["disabling", () => client.post("/api/user/2fa/disable", {})],
        ["recovery codes", () => client.post("/api/user/2fa/recovery_codes", {})],
        ["resetting others", () => client.delete("/api/user/999999/2fa")],
        ["deletion", () => client.delete("/api/user/self")],
      ];
      gateway.clock.nowMs += 5 * minuteMs;
      for (const [name, call] of guarded) {
        expect([name, (await call()).status]).toEqual([name, 428]);
      }
      // A change of the display name needs no second factor.
      expect((await client.put("/api/user/self", { display_name: "H" })).body.success).toBe(true);
      const disable = { id: 999_999, action: "disable" };
      expect((await client.post("/api/user/manage", disable)).body.message).toBe("用户不存在");

      const proven = await client.post("/api/user/2fa/verify", { code: nextCode(secret) });
      const cookie = proven.headers.get("set-cookie")?.split(";")[0] ?? "";
      // P-A5: a session that gains rights gets a new id, and the old id ends.
      expect((await client.get("/api/user/self")).status).toBe(401);
      const headers = { ...client.headers, cookie };
      const renew = async () =>
        await gateway.call("POST", "/api/user/2fa/recovery_codes", { headers, body: {} });
      expect((await renew()).body.success).toBe(true);
      gateway.clock.nowMs += 5 * minuteMs;
      expect((await renew()).status).toBe(428);
    });

    test("refunds, credits by hand and waived debts ask root for the second factor", async () => {
      const { secret } = await enable(await gateway.user("rupert", role.enum.root));
      const client = await clientOf("rupert", nextCode(secret));
      const send = async (path: string) => (await client.post(path, { reason: "r" })).status;
      const paths = ["order/999999/refund", "order/999999/settle", "user/999999/debt/waive"];
      gateway.clock.nowMs += 5 * minuteMs;
      for (const path of paths) expect([path, await send(`/api/${path}`)]).toEqual([path, 428]);
    });

    test("among options, only secrets and payment targets ask for the second factor", () => {
      const asks = (key: string) =>
        updateOption.stepUp?.({ key, value: "", clear: false, turnstile_token: "" });
      const asking = ["SMTPToken", "EpayId", "PayAddress", "EpayKey"];
      const ofStripe = ["StripeApiSecret", "StripeWebhookSecret"];
      expect([...asking, ...ofStripe].map(asks)).not.toContain(false);
      expect(["Notice", "RetryTimes", "toString", ""].map(asks)).not.toContain(true);
    });

    test("an access token cannot do what needs a second factor", async () => {
      const ivan = await gateway.user("ivan");
      const token = String((await ivan.post("/api/user/token")).body.data);
      const { secret } = await enable(ivan);
      const headers = { authorization: token, "new-api-user": String(ivan.id) };
      const call = async (path: string, body: object) =>
        await gateway.call("POST", path, { headers, body });

      expect((await call("/api/user/2fa/disable", {})).status).toBe(428);
      expect((await call("/api/user/2fa/verify", { code: nextCode(secret) })).body.message).toBe(
        "请在控制台中完成两步验证",
      );
      expect((await gateway.call("GET", "/api/user/self", { headers })).body.success).toBe(true);
    });

    test("users without a second factor are not asked; disabling the last one voids the codes", async () => {
      const judy = await gateway.user("judy");
      expect((await judy.post("/api/user/2fa/recovery_codes", {})).body.message).toBe(
        "请先启用两步验证",
      );
      expect((await judy.post("/api/user/token")).body.success).toBe(true);
      const { secret } = await enable(judy);
      gateway.clock.nowMs += 5 * minuteMs;
      expect((await judy.post("/api/user/2fa/setup", { password: testPassword })).status).toBe(428);
      const client = await clientOf("judy", nextCode(secret));
      expect((await client.post("/api/user/2fa/setup", {})).body.message).toBe("已启用验证器");
      expect((await client.post("/api/user/2fa/disable", {})).body.success).toBe(true);

      expect(await statusOf(client)).toMatchObject({ enabled: false, recovery_codes_left: 0 });
      expect((await gateway.signIn("judy")).id).toBe(judy.id);
    });

    test("admins can reset the factors of users below them, which signs those out and is audited", async () => {
      const admin = await gateway.user("admin1", role.enum.admin);
      const peer = await gateway.user("admin2", role.enum.admin);
      const ken = await gateway.user("ken");
      for (const client of [peer, ken]) await enable(client);

      expect((await admin.delete(`/api/user/${peer.id}/2fa`)).body.success).toBe(false);
      expect((await ken.delete(`/api/user/${ken.id}/2fa`)).body.success).toBe(false);
      expect((await admin.delete(`/api/user/${ken.id}/2fa`)).body.success).toBe(true);
      expect((await ken.get("/api/user/self")).status).toBe(401);
      expect((await gateway.signIn("ken")).id).toBe(ken.id);
      expect((await peer.get("/api/user/2fa")).body.data).toMatchObject({ enabled: true });
      const notes = await gateway.db
        .selectFrom("audit_log")
        .select(["actor_name", "action"])
        .where("target", "=", `user:${ken.id}`)
        .where("action", "like", "second-factor.%")
        .orderBy("id")
        .execute();
      expect(notes).toEqual([
        { actor_name: "ken", action: "second-factor.enable" },
        { actor_name: "admin1", action: "second-factor.reset" },
      ]);
      expect(await verifyAudit(gateway.db)).toMatchObject({ ok: true });
    });

    test("A-148, A-284: deleting the own account compares the typed name, if one is sent", async () => {
      const leo = await gateway.user("leo");
      expect((await leo.delete("/api/user/self?username=Leo")).body).toMatchObject({
        success: false,
        message: "请输入你的账户名以确认删除！",
      });
      expect((await leo.get("/api/user/self")).status).toBe(200);
      expect((await leo.delete("/api/user/self?username=leo")).body.success).toBe(true);
      expect((await leo.get("/api/user/self")).status).toBe(401);
    });
  });
}
