/** Nobody is shut out of an account by what strangers send for its name. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { Secret, TOTP } from "otpauth";
import { z } from "zod";
import { testDialects } from "#db/testing/database.ts";
import { openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

const home = "203.0.113.9";
const hourMs = 3_600_000;

for (const dialect of testDialects) {
  describe(`sign-in under attack on ${dialect}`, () => {
    let gateway: TestConsole;
    beforeAll(async () => {
      gateway = await openTestConsole(dialect);
      await gateway.root();
    });
    afterAll(async () => await gateway.close());

    const login = async (username: string, password: string, clientIp: string, cookie = "") =>
      await gateway.call("POST", "/api/user/login", {
        body: { username, password },
        clientIp,
        ...(cookie === "" ? {} : { headers: { cookie } }),
      });
    /** Returns the cookie that marks the device of somebody who has just signed in. */
    const markOf = (headers: Headers): string => {
      const set = headers.getSetCookie().find((each) => each.startsWith("__Host-dev="));
      return set?.split(";")[0] ?? "";
    };
    const signedIn = async (username: string, clientIp: string, cookie = "") => {
      const answer = await login(username, testPassword, clientIp, cookie);
      return { ok: answer.body.success, mark: markOf(answer.headers), status: answer.status };
    };
    /** Sends wrong passwords for a name from as many addresses, until the name is closed. */
    const attack = async (username: string) => {
      for (let at = 0; at < 56; at += 1) await login(username, "wrong", `198.51.100.${at}`);
    };

    test("50 wrong passwords from 56 addresses shut out neither the owner nor root, at places where they have signed in", async () => {
      await gateway.user("alice");
      for (const name of ["alice", "root", "nobody"]) await attack(name);
      for (const name of ["alice", "root"]) {
        expect([name, await signedIn(name, "192.0.2.1")]).toMatchObject([name, { ok: false }]);
        expect([name, await signedIn(name, home)]).toMatchObject([name, { ok: true }]);
      }
      // Strangers read the same whether or not there is such a user.
      const [known, unknown] = await Promise.all([
        login("alice", "wrong", "192.0.2.1"),
        login("nobody", "wrong", "192.0.2.1"),
      ]);
      expect([known.status, known.body]).toEqual([429, unknown.body]);
    });

    test("a device that has signed in before may sign in from anywhere, and only as its own users", async () => {
      await gateway.user("bella");
      await gateway.user("boris");
      gateway.clock.nowMs += hourMs;
      const { mark } = await signedIn("bella", home);
      const both = (await signedIn("boris", "192.0.2.10", mark)).mark;
      for (const name of ["bella", "boris", "root"]) await attack(name);
      const from = "192.0.2.20";
      expect(await signedIn("bella", from)).toMatchObject({ ok: false, status: 429 });
      expect(await signedIn("bella", from, mark)).toMatchObject({ ok: true });
      expect(await signedIn("boris", from, mark)).toMatchObject({ ok: false, status: 429 });
      expect(await signedIn("boris", from, both)).toMatchObject({ ok: true });
      expect(await signedIn("bella", "192.0.2.21", both)).toMatchObject({ ok: true });
      expect(await signedIn("root", from, both)).toMatchObject({ ok: false, status: 429 });
    });

    test("a mark is signed: an altered, foreign or old one marks nothing", async () => {
      const { id } = await gateway.user("cora");
      const { id: other } = await gateway.user("cyril");
      gateway.clock.nowMs += hourMs;
      const { mark } = await signedIn("cyril", home);
      const own = (await signedIn("cora", home)).mark;
      await attack("cora");
      const forged = [
        mark.replace(`=${other}.`, `=${id}.`),
        own.slice(0, -1) + (own.endsWith("0") ? "1" : "0"),
        own.replace(/\.(\d+)\.([0-9a-f]+)$/, (_, end, sign) => `.${Number(end) + 1}.${sign}`),
        `${own}; ${own}`,
        `__Host-dev=${id}.x.9999999999.${"0".repeat(64)}`,
        "__Host-dev=~~~~",
      ];
      for (const [at, cookie] of forged.entries()) {
        const answer = await signedIn("cora", `192.0.2.${100 + at}`, cookie);
        expect([cookie, answer.ok]).toEqual([cookie, false]);
      }
      expect((await signedIn("cora", "192.0.2.120", own)).ok).toBe(true);
      gateway.clock.nowMs += 181 * 24 * hourMs;
      await attack("cora");
      expect((await signedIn("cora", "192.0.2.121", own)).ok).toBe(false);
    });

    test("a mark is kept from scripts and other sites, and a marked device guesses no faster than others", async () => {
      await gateway.user("dora");
      gateway.clock.nowMs += hourMs;
      const answer = await login("dora", testPassword, home);
      const [session, set = ""] = answer.headers.getSetCookie();
      expect(session).toStartWith("__Host-sid=");
      expect(set).toMatch(
        /^__Host-dev=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
      const mark = markOf(answer.headers);
      const tried = [];
      for (let at = 0; at < 7; at += 1) {
        tried.push((await login("dora", "wrong", `192.0.2.${at}`, mark)).status);
      }
      expect(tried).toEqual([200, 200, 200, 200, 200, 429, 429]);
      // Its wrong passwords are its own: the place is not closed.
      expect((await signedIn("dora", home)).ok).toBe(true);
    });

    test("after a hundred wrong passwords in a row a marked device may still try", async () => {
      const { id } = await gateway.user("emil");
      const { mark } = await signedIn("emil", home);
      await gateway.db
        .insertInto("password_failures")
        .values({ user_id: id, count: 100 })
        .onConflict((conflict) => conflict.column("user_id").doUpdateSet({ count: 100 }))
        .execute();
      gateway.clock.nowMs += hourMs;
      expect((await signedIn("emil", "192.0.2.30")).ok).toBe(false);
      expect((await signedIn("emil", "192.0.2.30", mark)).ok).toBe(true);
    });

    test("who knows the password and guesses codes does not close the second factor to its owner", async () => {
      const client = await gateway.user("fiona");
      const made = await client.post("/api/user/2fa/setup", { password: testPassword });
      const { secret } = z.object({ secret: z.string() }).parse(made.body.data);
      const codeNow = () => {
        gateway.clock.nowMs += 30_000;
        const app = new TOTP({ secret: Secret.fromBase32(secret) });
        return app.generate({ timestamp: gateway.clock.nowMs });
      };
      const enabled = await client.post("/api/user/2fa/enable", { code: codeNow() });
      expect(enabled.body.success).toBe(true);
      const enter = async (clientIp: string, code: string, cookie = "") => {
        const { body } = await login("fiona", testPassword, clientIp, cookie);
        const { ticket } = secondFactorNeeded.parse(body.data);
        return await gateway.call("POST", "/api/user/login/2fa", {
          body: { ticket, code },
          clientIp,
          ...(cookie === "" ? {} : { headers: { cookie } }),
        });
      };
      const first = await enter(home, codeNow());
      const mark = markOf(first.headers);
      expect([first.body.success, mark === ""]).toEqual([true, false]);
      for (let at = 0; at < 12; at += 1) await enter(`198.51.100.${100 + at}`, "000000");
      expect((await enter("192.0.2.40", codeNow())).status).toBe(429);
      expect((await enter(home, codeNow())).body.success).toBe(true);
      expect((await enter("192.0.2.41", codeNow(), mark)).body.success).toBe(true);
    });
  });
}
