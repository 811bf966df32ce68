import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { passkeysMax, secondFactors } from "@tollgate/contract/endpoints/second-factor.ts";
import { secondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { type Authenticator, newAuthenticator } from "./authenticator.ts";
import { type Answer, type Client, openTestConsole, type TestConsole } from "./open-console.ts";
import { testPassword } from "./open-console.ts";

const minuteMs = 60_000;
const begun = z.object({
  ticket: z.string(),
  options: z.looseObject({ challenge: z.string(), rpId: z.string().optional() }),
});

for (const dialect of testDialects) {
  describe(`passkeys on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      gateway.setOptions({ ServerAddress: "https://gateway.test" });
      await gateway.root();
    });
    afterAll(async () => await gateway.close());

    const begin = async (client: Client, path: string, body: object = {}) =>
      begun.parse((await client.post(path, body)).body.data);

    async function add(client: Client, key: Authenticator, name = ""): Promise<Answer> {
      const path = "/api/user/passkey/register";
      const { ticket, options } = await begin(client, `${path}/begin`, { password: testPassword });
      const credential = key.create(options.challenge);
      return await client.post(`${path}/finish`, { ticket, name, credential });
    }
    const finishLogin = async (body: object) =>
      await gateway.call("POST", "/api/user/login/passkey/finish", { body });
    const beginLogin = async (ticket?: string) =>
      await begin(gateway.visitor, "/api/user/login/passkey/begin", { ticket });
    async function login(key: Authenticator): Promise<Answer> {
      const { ticket, options } = await beginLogin();
      return await finishLogin({ ticket, credential: key.get(options.challenge) });
    }
    const statusOf = async (client: Client) =>
      secondFactors.parse((await client.get("/api/user/2fa")).body.data);
    const wrong = { success: false, message: "通行密钥验证失败" };

    test("an added passkey signs in without a password and counts as a second factor", async () => {
      const alice = await gateway.user("alice");
      const key = newAuthenticator();
      const added = await add(alice, key, "laptop");
      expect(added.body).toMatchObject({ success: true });
      expect(
        z.object({ recovery_codes: z.array(z.string()) }).parse(added.body.data).recovery_codes,
      ).toHaveLength(10);
      expect(await statusOf(alice)).toMatchObject({
        enabled: true,
        totp: false,
        passkeys: [{ name: "laptop", used_at: 0 }],
      });

      const answer = await login(key);
      expect(answer.body.data).toMatchObject({ id: alice.id, username: "alice" });
      expect(answer.headers.get("set-cookie")).toStartWith("__Host-sid=");
      // A sign-in by passkey counts as a recent second factor, so an action that needs one is
      // allowed.
      const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
      const headers = { cookie, "new-api-user": String(alice.id) };
      const renewed = await gateway.call("POST", "/api/user/2fa/recovery_codes", {
        headers,
        body: {},
      });
      expect(renewed.body.success).toBe(true);
    });

    test("a passkey is the second step after a password, for its own user only", async () => {
      const [bob, eve] = [await gateway.user("bob"), await gateway.user("eve")];
      const [key, other] = [newAuthenticator(), newAuthenticator()];
      await add(bob, key);
      await add(eve, other);
      const body = { username: "bob", password: testPassword };
      const first = await gateway.call("POST", "/api/user/login", { body });
      const needed = secondFactorNeeded.parse(first.body.data);
      expect(needed.methods).toEqual(["passkey", "recovery"]);

      const one = await beginLogin(needed.ticket);
      expect(one.options).toMatchObject({
        rpId: "gateway.test",
        userVerification: "required",
        allowCredentials: [{ id: key.id, transports: ["internal"] }],
      });
      const foreign = { ticket: one.ticket, credential: other.get(one.options.challenge) };
      expect((await finishLogin(foreign)).body).toMatchObject(wrong);
      // The failed attempt has used up its ticket, so that even the right passkey cannot use it.
      const late = { ticket: one.ticket, credential: key.get(one.options.challenge) };
      expect((await finishLogin(late)).body.message).toBe("操作已过期，请重新开始");
      const two = await beginLogin(needed.ticket);
      const right = { ticket: two.ticket, credential: key.get(two.options.challenge) };
      expect((await finishLogin(right)).body.data).toMatchObject({ id: bob.id });
    });

    test("a proof of another page or challenge, or one unverified, copied or replayed is refused", async () => {
      const carol = await gateway.user("carol");
      const key = newAuthenticator();
      await add(carol, key);
      const tries: ((challenge: string) => object)[] = [
        (challenge) => key.get(challenge, { origin: "https://gateway.test.evil.example" }),
        (challenge) => key.get(challenge, { rpId: "evil.example" }),
        (challenge) => key.get(challenge, { verified: false }),
        () => key.get("b3RoZXI"),
        (challenge) => newAuthenticator().get(challenge),
        (challenge) => ({ ...newAuthenticator().get(challenge), id: key.id, rawId: key.id }),
      ];
      for (const answer of tries) {
        const { ticket, options } = await beginLogin();
        const refused = await finishLogin({ ticket, credential: answer(options.challenge) });
        expect(refused.body).toMatchObject(wrong);
        expect(refused.headers.get("set-cookie")).toBeNull();
      }
      const { ticket, options } = await beginLogin();
      const proof = { ticket, credential: key.get(options.challenge) };
      const both = await Promise.all([finishLogin(proof), finishLogin(proof)]);
      expect(both.filter(({ body }) => body.success === true)).toHaveLength(1);
      // Plays a copied passkey: its signature counter continues from the time of the copy, behind
      // the one that the server has stored.
      key.counter -= 1;
      expect((await login(key)).body).toMatchObject(wrong);
    });

    test("only its owner can rename a passkey", async () => {
      const [gina, hans] = [await gateway.user("gina"), await gateway.user("hans")];
      await add(gina, newAuthenticator(), "laptop");
      const [passkey] = (await statusOf(gina)).passkeys;
      const path = `/api/user/passkey/${passkey?.id}`;
      const nothing = { success: false, message: "通行密钥不存在" };
      expect((await hans.put(path, { name: "mine" })).body).toEqual(nothing);
      expect((await gina.put(path, { name: "x".repeat(41) })).body.success).toBe(false);
      expect((await gina.put(path, { name: " phone " })).body.success).toBe(true);
      expect(await statusOf(gina)).toMatchObject({ passkeys: [{ name: "phone" }] });
    });

    test("a passkey renews the second factor, in the session that asked", async () => {
      const dave = await gateway.user("dave");
      const key = newAuthenticator();
      await add(dave, key);
      const renew = async (headers: Client["headers"]) =>
        await gateway.call("POST", "/api/user/2fa/recovery_codes", { headers, body: {} });
      // Adding the first passkey counts as a proof of the second factor, so no further proof is
      // asked for yet.
      expect((await renew(dave.headers)).body.success).toBe(true);
      gateway.clock.nowMs += 5 * minuteMs;
      expect((await renew(dave.headers)).status).toBe(428);

      const path = "/api/user/passkey/verify";
      const { ticket, options } = await begin(dave, `${path}/begin`);
      const credential = key.get(options.challenge);
      const stranger = await gateway.user("dave2");
      const stolen = await stranger.post(`${path}/finish`, { ticket, credential });
      expect(stolen.body.success).toBe(false);
      const again = await begin(dave, `${path}/begin`);
      const proven = await dave.post(`${path}/finish`, {
        ticket: again.ticket,
        credential: key.get(again.options.challenge),
      });
      const cookie = proven.headers.get("set-cookie")?.split(";")[0] ?? "";
      expect((await renew({ ...dave.headers, cookie })).body.success).toBe(true);
    });

    test("adding needs the password, the user's own ticket, and a passkey that is new", async () => {
      const [erin, frank] = [await gateway.user("erin"), await gateway.user("frank")];
      const path = "/api/user/passkey/register";
      for (const body of [{}, { password: "wrong" }]) {
        expect((await erin.post(`${path}/begin`, body)).body.success).toBe(false);
      }
      const { ticket, options } = await begin(erin, `${path}/begin`, { password: testPassword });
      const key = newAuthenticator();
      const credential = key.create(options.challenge);
      expect((await frank.post(`${path}/finish`, { ticket, credential })).body.success).toBe(false);
      expect((await erin.post(`${path}/finish`, { ticket, credential })).body.message).toBe(
        "操作已过期，请重新开始",
      );
      expect((await add(erin, key)).body.success).toBe(true);
      expect((await add(frank, key)).body.message).toBe("该通行密钥已被使用");
      expect(await statusOf(frank)).toMatchObject({ enabled: false, recovery_codes_left: 0 });
      gateway.clock.nowMs += 5 * minuteMs;
      expect((await erin.post(`${path}/begin`, { password: testPassword })).status).toBe(428);
    });

    test("removing the last one ends the second factor; a user has at most ten", async () => {
      const grace = await gateway.user("grace");
      const key = newAuthenticator();
      await add(grace, key);
      const answer = await login(key);
      const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
      const headers = { cookie, "new-api-user": String(grace.id) };
      const fresh: Client = {
        ...grace,
        headers,
        get: async (path) => await gateway.call("GET", path, { headers }),
        post: async (path, body = {}) => await gateway.call("POST", path, { headers, body }),
        delete: async (path) => await gateway.call("DELETE", path, { headers }),
      };
      for (let count = 1; count < passkeysMax; count += 1) await add(fresh, newAuthenticator());
      expect((await add(fresh, newAuthenticator())).body.message).toBe(
        "最多可以添加 10 个通行密钥",
      );
      for (const { id } of (await statusOf(fresh)).passkeys) {
        const other = await gateway.user(`g${id}`);
        expect((await other.delete(`/api/user/passkey/${id}`)).body.message).toBe("通行密钥不存在");
        expect((await fresh.delete(`/api/user/passkey/${id}`)).body.success).toBe(true);
      }
      expect(await statusOf(fresh)).toMatchObject({ enabled: false, recovery_codes_left: 0 });
      expect((await login(key)).body).toMatchObject(wrong);
    });

    test("a server without a public HTTPS address offers no passkeys", async () => {
      const heidi = await gateway.user("heidi");
      for (const address of ["", "http://gateway.test", "https://192.0.2.1"]) {
        gateway.setOptions({ ServerAddress: address });
        expect(await statusOf(heidi)).toMatchObject({ passkeys_available: false });
        expect(
          (await heidi.post("/api/user/passkey/register/begin", { password: testPassword })).body,
        ).toMatchObject({ success: false });
        expect((await gateway.visitor.post("/api/user/login/passkey/begin", {})).body.success).toBe(
          false,
        );
      }
      gateway.setOptions({ ServerAddress: "http://localhost:3000" });
      expect(await statusOf(heidi)).toMatchObject({ passkeys_available: true });
      gateway.setOptions({ ServerAddress: "https://gateway.test" });
    });

    test("one client IP can begin a limited number of sign-ins", async () => {
      gateway.clock.nowMs += 15 * minuteMs;
      for (let count = 0; count < 30; count += 1) await beginLogin();
      const answer = await gateway.visitor.post("/api/user/login/passkey/begin", {});
      expect(answer.status).toBe(429);
    });
  });
}
