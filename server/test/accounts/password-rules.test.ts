import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { listEndpoints, nameOf } from "#test/authorization/routes.ts";
import { type Answer, type Client, openTestConsole, type TestConsole } from "./open-console.ts";
import { testPassword } from "./open-console.ts";

const another = "staple battery";
const expired = { success: false, message: "请先修改密码，再继续使用" };
const common = {
  success: false,
  message: "该密码过于常见，容易被猜到，请换一个",
  field: "password",
};

for (const dialect of testDialects) {
  describe(`password rules on ${dialect}`, () => {
    let gateway: TestConsole;
    let root: Client;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      const token = gateway.setupToken;
      const typed = { token, username: "root", password: "Sunshine", confirmPassword: "Sunshine" };
      const refused = await gateway.visitor.post("/api/setup", typed);
      expect(refused.body, "set-up").toMatchObject(common);
      root = await gateway.root();
    });
    afterAll(async () => await gateway.close());

    const login = async (username: string, password: string, clientIp?: string) =>
      await gateway.call("POST", "/api/user/login", {
        body: { username, password },
        ...(clientIp === undefined ? {} : { clientIp }),
      });
    const change = async (client: Client, password: string, original: string): Promise<Answer> =>
      await client.put("/api/user/self", { password, original_password: original });
    const hashOf = async ({ id }: Pick<Client, "id">): Promise<string> => {
      const row = await gateway.db
        .selectFrom("users")
        .select("password_hash")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return row.password_hash;
    };

    test("promises 6.5: common passwords are refused everywhere, in any letter case", async () => {
      const alice = await gateway.user("alice");
      for (const password of ["password", "PassWord1", "12345678", "iloveyou", "QWERTYUIOP"]) {
        const tries: [string, Answer][] = [
          [
            "register",
            await gateway.visitor.post("/api/user/register", { username: "n", password }),
          ],
          ["change", await change(alice, password, testPassword)],
          ["reset by an admin", await root.put("/api/user/", { id: alice.id, password })],
          ["creation", await root.post("/api/user/", { username: "n", password })],
        ];
        for (const [name, { body }] of tries) expect([name, body]).toEqual([name, common]);
      }
      expect(await hashOf(alice)).toContain(testPassword);
      // A long password that repeats characters is not a common one.
      expect((await change(alice, "aaaa bbbb cccc dddd", testPassword)).body.success).toBe(true);
    });

    test("promises 6.5: after somebody else set the password, only changing it is allowed", async () => {
      const bob = await gateway.user("bob", role.enum.admin);
      await root.put("/api/user/", { id: bob.id, password: another });
      const answer = await login("bob", another);
      expect(answer.body.data).toMatchObject({ id: bob.id, password_expired: true });
      const client = await gateway.signIn("bob", another);

      const isBarred = ({ access, whilePasswordExpired }: Endpoint): boolean =>
        (access === "user" || access === "admin") && whilePasswordExpired === undefined;
      let refused = 0;
      for (const endpoint of (await listEndpoints()).filter(isBarred)) {
        const path = endpoint.path.replaceAll(/:\w+/g, "1");
        const flagged = endpoint.flag === undefined ? path : `${path}?${endpoint.flag}=1`;
        const sent = endpoint.method === "GET" ? {} : { body: {} };
        const { status, body } = await gateway.call(endpoint.method, flagged, {
          headers: client.headers,
          ...sent,
        });
        // The modules under test do not serve all endpoints of the contract.
        if (status === 404) continue;
        expect([nameOf(endpoint), body]).toEqual([nameOf(endpoint), expired]);
        refused += 1;
      }
      expect(refused).toBeGreaterThan(30);
      expect((await client.put("/api/user/self", { display_name: "B" })).body).toEqual(expired);
      expect((await client.get("/api/user/self")).body.success).toBe(true);

      expect((await change(client, another, another)).body).toMatchObject({
        message: "新密码不能与当前密码相同",
        field: "password",
      });
      expect((await change(client, testPassword, "wrong")).body.message).toBe("当前密码不正确");
      const changed = await change(client, testPassword, another);
      const cookie = changed.headers.get("set-cookie")?.split(";")[0] ?? "";
      const headers = { ...client.headers, cookie };
      const after = await gateway.call("GET", "/api/token/", { headers });
      expect(after.body.success).toBe(true);
      const { body } = await login("bob", testPassword);
      expect(body.data).not.toHaveProperty("password_expired");
    });

    test("an account that an admin has made can do nothing before its owner has chosen a password", async () => {
      const admin = await gateway.user("maker", role.enum.admin);
      for (const [maker, username] of [
        [await gateway.root(), "byroot"],
        [admin, "byadmin"],
      ] as const) {
        const made = await maker.post("/api/user/", { username, password: another });
        expect(made.body.success).toBe(true);
        const answer = await login(username, another);
        expect(answer.body.data).toMatchObject({ username, password_expired: true });
        const client = await gateway.signIn(username, another);
        for (const path of ["/api/token/", "/api/user/models", "/api/log/self/"]) {
          expect([path, (await client.get(path)).body]).toEqual([path, expired]);
        }
        const same = await change(client, another, another);
        expect(same.body.message).toBe("新密码不能与当前密码相同");
        // Who signs in with the given password needs only the new one.
        expect((await change(client, testPassword, "")).body.success).toBe(true);
        const { body } = await login(username, testPassword);
        expect(body.data).not.toHaveProperty("password_expired");
        expect((await login(username, another)).body.success).toBe(false);
      }
    });

    test("a password that was given needs only the new one, in the session it opened", async () => {
      const dora = await gateway.user("dora");
      await root.put("/api/user/", { id: dora.id, password: another });
      const [opened, elsewhere] = [
        await gateway.signIn("dora", another),
        await gateway.signIn("dora", another),
      ];
      // The second session is changed to one that began at a sign-in provider, without a password.
      const [, second] = await gateway.db
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", dora.id)
        .orderBy("created_at")
        .execute();
      const sessions = gateway.db.updateTable("sessions").set({ by_given_password: 0 });
      await sessions.where("id", "=", second?.id ?? "").execute();
      const answers = [];
      for (const client of [opened, elsewhere]) {
        answers.push((await client.put("/api/user/self", { password: another })).body);
      }
      expect(new Set(answers.map(({ message }) => message))).toEqual(
        new Set(["修改密码需要提供当前密码", "新密码不能与当前密码相同"]),
      );
      const [marked, plain] =
        answers[0]?.message === "新密码不能与当前密码相同"
          ? [opened, elsewhere]
          : [elsewhere, opened];
      expect((await change(plain, testPassword, "")).body).toMatchObject({ success: false });
      const changed = await change(marked, testPassword, "");
      expect(changed.body.success).toBe(true);
      // The session continues and now counts as one of somebody who knows the password.
      const cookie = changed.headers.get("set-cookie")?.split(";")[0] ?? "";
      const headers = { ...marked.headers, cookie };
      expect(
        (
          await gateway.call("PUT", "/api/user/self", {
            headers,
            body: { password: "yet another one" },
          })
        ).body,
      ).toMatchObject({ success: false, message: "修改密码需要提供当前密码" });
      const { body } = await login("dora", testPassword);
      expect(body.data).not.toHaveProperty("password_expired");
    });

    test("promises 6.5: one's own password change, also root's own edit, needs no second change", async () => {
      const carol = await gateway.user("carol");
      await change(carol, another, testPassword);
      expect((await login("carol", another)).body.data).not.toHaveProperty("password_expired");
      const self = await gateway.root();
      await self.put("/api/user/", { id: self.id, password: testPassword });
      expect((await login("root", testPassword)).body.data).not.toHaveProperty("password_expired");
    });

    test("a password hash from another database is replaced by ours at the first sign-in", async () => {
      const dave = await gateway.user("dave");
      const old = `old:${testPassword}`;
      await gateway.db
        .updateTable("users")
        .set({ password_hash: old })
        .where("id", "=", dave.id)
        .execute();
      await login("dave", "wrong one");
      expect(await hashOf(dave)).toBe(old);
      expect((await login("dave", testPassword)).body.success).toBe(true);
      expect(await hashOf(dave)).toBe(`plain:${testPassword}`);
      expect((await login("dave", testPassword)).body.success).toBe(true);
    });

    describe("P-A10: after a hundred wrong passwords in a row", () => {
      const home = "203.0.113.9";
      const hourMs = 3_600_000;
      let erin: Client;

      const countOf = async (): Promise<number> => {
        const row = await gateway.db
          .selectFrom("password_failures")
          .select("count")
          .where("user_id", "=", erin.id)
          .executeTakeFirst();
        return row?.count ?? 0;
      };
      /**
       * Enters a wrong password from many client IPs, as slowly as the limits require. Waits at the
       * end, because a failure is counted after its answer.
       */
      const fail = async (times: number): Promise<void> => {
        const before = await countOf();
        for (let at = 0; at < times; at += 1) {
          if (at % 50 === 0) gateway.clock.nowMs += hourMs;
          const answer = await login("erin", "wrong", `198.51.100.${at}`);
          expect(answer.body.message).toBe("用户名或密码错误，或用户已被封禁");
        }
        while ((await countOf()) < before + times) await Bun.sleep(1);
        gateway.clock.nowMs += hourMs;
      };
      const closings = async (): Promise<number> => {
        const rows = await gateway.db
          .selectFrom("audit_log")
          .select("id")
          .where("action", "=", "user.sign-in-closed")
          .where("target", "=", `user:${erin.id}`)
          .execute();
        return rows.length;
      };
      const enters = async (clientIp: string, password = testPassword): Promise<boolean> =>
        (await login("erin", password, clientIp)).body.success === true;

      test("only client IPs the user signed in from may try; a correct password ends the restriction", async () => {
        erin = await gateway.user("erin");
        await fail(99);
        expect(await enters("192.0.2.1"), "from a new place").toBe(true);
        expect(await countOf()).toBe(0);
        await fail(100);
        expect(await closings()).toBe(1);
        const [strange, stranger] = [await login("erin", testPassword, "192.0.2.7"), "192.0.2.8"];
        expect(strange.body).toEqual((await login("erin", "wrong", stranger)).body);
        expect(await countOf(), "what is not tried counts nothing").toBe(100);
        expect(await enters(home)).toBe(true);
        expect(await enters("192.0.2.9")).toBe(true);
      });

      test("a new password ends the restriction everywhere", async () => {
        await fail(100);
        expect(await enters("192.0.2.20")).toBe(false);
        const self = await gateway.root();
        await self.put("/api/user/", { id: erin.id, password: another });
        expect(await enters("192.0.2.21", another)).toBe(true);
      });

      test("a limited number of client IPs is kept of a user", async () => {
        const client = await gateway.user("frank");
        for (let at = 0; at < 15; at += 1) {
          gateway.clock.nowMs += 1;
          await login("frank", testPassword, `192.0.2.${at}`);
        }
        await login("frank", testPassword, "2001:db8:1:2:3::4");
        const rows = await gateway.db
          .selectFrom("sign_in_places")
          .select("place")
          .where("user_id", "=", client.id)
          .orderBy("used_at", "desc")
          .execute();
        expect(rows).toHaveLength(10);
        expect(rows.map(({ place }) => place)).toContain("192.0.2.14");
        const self = await gateway.root();
        await self.delete(`/api/user/${client.id}`);
        const left = gateway.db.selectFrom("sign_in_places").where("user_id", "=", client.id);
        expect(await left.select("place").execute()).toEqual([]);
      });
    });

    test("A-098: one-api's default credentials in an imported database only allow a new password", async () => {
      await gateway.root();
      await gateway.db
        .updateTable("users")
        .set({ password_hash: "plain:123456" })
        .where("username", "=", "root")
        .execute();
      const { body } = await login("root", "123456");
      expect(body.data).toMatchObject({ username: "root", password_expired: true });
      const client = await gateway.signIn("root", "123456");
      expect((await client.get("/api/user/")).body).toEqual(expired);
      expect((await change(client, testPassword, "123456")).body.success).toBe(true);
      expect((await login("root", testPassword)).body.data).not.toHaveProperty("password_expired");
    });
  });
}
