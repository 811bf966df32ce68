import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { testDialects } from "#db/testing/database.ts";
import { type Client, openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const hourMs = 3_600_000;

for (const dialect of testDialects) {
  describe(`sign-in on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    afterAll(async () => await gateway.close());

    /** Moves the clock past every limit on failed attempts, by at most an hour. */
    const waitOut = (): void => {
      gateway.clock.nowMs += hourMs;
    };
    const login = async (username: string, password: string, clientIp = "203.0.113.9") =>
      await gateway.call("POST", "/api/user/login", { body: { username, password }, clientIp });

    /**
     * Waits until the client's last call is stored in its session, which happens after the answer.
     */
    const seen = async ({ id }: Client): Promise<void> => {
      for (;;) {
        const row = await gateway.db
          .selectFrom("sessions")
          .select((eb) => eb.fn.max("seen_at").as("seen_at"))
          .where("user_id", "=", id)
          .executeTakeFirstOrThrow();
        if (row.seen_at === gateway.clock.nowMs) return;
        await Bun.sleep(1);
      }
    };

    test("A-387, A-095: the right password answers the user and sets the cookie", async () => {
      const { id } = await gateway.user("alice");
      const answer = await login("alice", testPassword);

      expect(answer).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: {
            id,
            username: "alice",
            display_name: "alice",
            role: 1,
            status: 1,
            group: "default",
          },
        },
      });
      expect(Object.keys(Object(answer.body.data))).toHaveLength(6);
      expect(answer.headers.getSetCookie()[0]).toMatch(
        /^__Host-sid=[0-9A-Za-z]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
    });

    test("A-080: a bound e-mail address signs in, unless two users share it", async () => {
      await gateway.user("bob");
      await gateway.user("carol");
      const setMail = async (username: string, email: string) =>
        await gateway.db
          .updateTable("users")
          .set({ email })
          .where("username", "=", username)
          .execute();

      await setMail("bob", "b@example.com");
      expect((await login("b@example.com", testPassword)).body.success).toBe(true);
      await setMail("carol", "b@example.com");
      expect((await login("b@example.com", testPassword)).body.success).toBe(false);
      expect((await login(" ", testPassword)).body.success).toBe(false);
    });

    test("of many simultaneous sign-ins some are refused as busy, which costs no attempt", async () => {
      const { username } = await gateway.user("patient");
      const burst = Array.from({ length: 60 }, (_, index) =>
        login(index < 50 ? `nobody-${index}` : username, "wrong", `198.51.100.${index}`),
      );
      const answers = await Promise.all(burst);
      const busy = answers.filter(({ status }) => status === 503);

      expect(busy).toHaveLength(12);
      expect(answers.slice(48)).toEqual(busy);
      expect(busy[0]?.headers.get("retry-after")).toBe("2");
      // A pair of name and address has five attempts.
      for (let attempt = 0; attempt < 4; attempt += 1) {
        await login(username, "wrong", "198.51.100.59");
      }
      const right = await login(username, testPassword, "198.51.100.59");
      expect(right.body.success).toBe(true);
    });

    test("a wrong password, an unknown, a disabled and a deleted user get the same answer", async () => {
      waitOut();
      const [root, off, gone] = [
        await gateway.root(),
        await gateway.user("off"),
        await gateway.user("gone"),
      ];
      await root.post("/api/user/manage", { id: off.id, action: "disable" });
      await root.post("/api/user/manage", { id: gone.id, action: "delete" });
      const no = {
        status: 200,
        body: { success: false, message: "用户名或密码错误，或用户已被封禁" },
      };

      expect(await login("root", "wrong password")).toMatchObject(no);
      expect(await login("nobody", testPassword)).toMatchObject(no);
      expect(await login("off", testPassword)).toMatchObject(no);
      expect(await login("gone", testPassword)).toMatchObject(no);
    });

    test("A-186: sign-in by password can be switched off, answering 200", async () => {
      gateway.setOptions({ PasswordLoginEnabled: "false" });
      expect(await login("root", testPassword)).toMatchObject({
        status: 200,
        body: { success: false, message: "管理员关闭了密码登录" },
      });
      gateway.setOptions({});
    });

    // P-A10: failed attempts are limited by name and client IP together.
    test("five failures of a name from one client IP stop it there, and nowhere else", async () => {
      await gateway.user("dave");
      waitOut();
      for (let count = 0; count < 5; count += 1) {
        expect((await login("dave", "wrong", "198.51.100.1")).status).toBe(200);
      }
      const stopped = await login("Dave", testPassword, "198.51.100.1");
      expect(stopped.status).toBe(429);
      expect(stopped.headers.get("retry-after")).toBe("900");
      expect((await login("dave", testPassword, "198.51.100.2")).body.success).toBe(true);

      gateway.clock.nowMs += 15 * 60_000 + 1;
      expect((await login("dave", testPassword, "198.51.100.1")).body.success).toBe(true);
    });

    test("a client IP is stopped after twenty names, together with its IPv6 block", async () => {
      for (let count = 0; count < 20; count += 1) await login(`x${count}`, "wrong", "2001:db8::1");

      expect((await login("root", testPassword, "2001:db8::2")).status).toBe(429);
      expect((await login("root", testPassword, "2001:db8:0:1::1")).body.success).toBe(true);
    });

    test("successful sign-ins never use up the attempts", async () => {
      await gateway.user("erin");
      waitOut();
      for (let count = 0; count < 25; count += 1) {
        expect((await login("erin", testPassword)).body.success).toBe(true);
      }
    });

    test("A-389: after signing out the same cookie is refused", async () => {
      const frank = await gateway.user("frank");
      expect((await frank.get("/api/user/self")).status).toBe(200);
      const answer = await frank.get("/api/user/logout");

      expect(answer.body.success).toBe(true);
      expect(answer.headers.get("set-cookie")).toStartWith("__Host-sid=; Max-Age=0;");
      expect((await frank.get("/api/user/self")).status).toBe(401);
      expect((await gateway.visitor.post("/api/user/logout")).body.success).toBe(true);
    });

    test("signing in again ends the browser's previous session", async () => {
      const grace = await gateway.user("grace");
      const body = { username: "grace", password: testPassword };
      await gateway.call("POST", "/api/user/login", { body, headers: grace.headers });

      expect((await grace.get("/api/user/self")).status).toBe(401);
    });

    // P-A5: sessions of admins end sooner than those of users.
    test("a session ends when unused, and at its maximum age at the latest", async () => {
      const cases = [
        { name: "heidi", userRole: role.enum.user, idleMs: 24 * hourMs, lastsMs: 168 * hourMs },
        { name: "ivan", userRole: role.enum.admin, idleMs: hourMs, lastsMs: 12 * hourMs },
      ];
      for (const { name, userRole, idleMs, lastsMs } of cases) {
        const idle = await gateway.user(name, userRole);
        gateway.clock.nowMs += idleMs - 1;
        expect((await idle.get("/api/user/self")).status).toBe(200);
        gateway.clock.nowMs += idleMs;
        expect((await idle.get("/api/user/self")).status).toBe(401);

        const busy = await gateway.signIn(name);
        const startMs = gateway.clock.nowMs;
        while (gateway.clock.nowMs + idleMs / 2 < startMs + lastsMs) {
          gateway.clock.nowMs += idleMs / 2;
          expect((await busy.get("/api/user/self")).status).toBe(200);
          await seen(busy);
        }
        gateway.clock.nowMs = startMs + lastsMs;
        expect((await busy.get("/api/user/self")).status).toBe(401);
      }
    });

    // P-O2: a clock that is set back must not extend sessions.
    test("a clock set back by more than a minute ends sessions instead of extending them", async () => {
      const judy = await gateway.user("judy");
      gateway.clock.nowMs -= 59_000;
      expect((await judy.get("/api/user/self")).status).toBe(200);
      gateway.clock.nowMs -= 2_000;
      expect((await judy.get("/api/user/self")).status).toBe(401);
      gateway.clock.nowMs += 61_000;
    });

    test("the database contains neither cookies nor access tokens", async () => {
      const kim = await gateway.user("kim");
      const token = String((await kim.post("/api/user/token")).body.data);
      const rows = JSON.stringify([
        await gateway.db.selectFrom("sessions").selectAll().execute(),
        await gateway.db.selectFrom("users").selectAll().execute(),
        await gateway.db.selectFrom("audit_log").selectAll().execute(),
      ]);

      expect(rows).not.toContain(kim.headers["cookie"]?.split("=")[1] ?? "no cookie");
      expect(rows).not.toContain(token);
    });

    test("A-411: an access token works with and without Bearer, until the next one is generated", async () => {
      const leo = await gateway.user("leo");
      const first = String((await leo.get("/api/user/token")).body.data);
      const self = async (authorization: string, userId = leo.id) =>
        await gateway.call("GET", "/api/user/self", {
          headers: { authorization, "new-api-user": String(userId) },
        });

      expect(first).toMatch(/^[0-9A-Za-z]{32}$/);
      for (const authorization of [first, `Bearer ${first}`, `bearer ${first}`]) {
        expect((await self(authorization)).body.data).toMatchObject({ username: "leo" });
      }
      expect((await self(first, leo.id + 1)).status).toBe(401);
      await leo.post("/api/user/token");
      expect(await self(first)).toMatchObject({
        status: 200,
        body: { success: false, message: "无权进行此操作，access token 无效" },
      });
      // Without the user-id header no token is generated: another site could otherwise request one
      // as an image.
      const { cookie = "" } = leo.headers;
      expect((await gateway.call("GET", "/api/user/token", { headers: { cookie } })).status).toBe(
        401,
      );
    });

    test("beyond the maximum number of sessions the newest stay", async () => {
      const mia = await gateway.user("mia");
      waitOut();
      const later = [];
      for (let count = 0; count < 20; count += 1) {
        gateway.clock.nowMs += 1;
        later.push(await gateway.signIn("mia"));
      }

      expect((await mia.get("/api/user/self")).status).toBe(401);
      for (const client of later) expect((await client.get("/api/user/self")).status).toBe(200);
    });
  });
}
