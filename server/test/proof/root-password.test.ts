import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { testDialects } from "#db/testing/database.ts";
import { signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeHome,
  makeStartedHome,
  rootUser,
  runCommand,
  startGateway,
} from "#test/gateway.ts";
import { setOption } from "./installation.ts";

const command = "reset-root-password";

for (const dialect of testDialects) {
  describe(`root's lost password on ${dialect}`, () => {
    let home: Home;
    let gateway: Gateway | undefined;
    beforeEach(async () => {
      home = await makeStartedHome(dialect);
    });
    afterEach(async () => {
      await gateway?.kill();
      gateway = undefined;
      await home.remove();
    });

    async function resetPassword(...flags: string[]) {
      const { code, output } = await runCommand(home, [command, ...flags]);
      expect(code, output).toBe(0);
      return { output, password: /^New password: (\S+)$/m.exec(output)?.[1] ?? "" };
    }

    async function signsIn(origin: string, password: string): Promise<unknown> {
      const answer = await fetch(`${origin}/api/user/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: rootUser.username, password }),
      });
      return await answer.json();
    }

    test("beside a running gateway root gets a password that must be replaced, and loses nothing else", async () => {
      gateway = await startGateway(home);
      const { origin } = gateway;
      const before = await signIn(origin);
      const { output, password } = await resetPassword();
      expect(password).toMatch(/^[A-Za-z0-9]{20}$/);
      expect(output).toContain(`Username: ${rootUser.username}`);

      expect(await signsIn(origin, rootUser.password)).toMatchObject({ success: false });
      expect((await before.send("GET", "/api/user/self")).success).toBe(false);
      const after = await signIn(origin, { ...rootUser, password });
      expect(after.userId).toBe(before.userId);
      expect((await after.send("GET", "/api/option/")).success).toBe(false);
      await after.call("PUT", "/api/user/self", { password: "quiet purple engines" });
      expect((await after.send("GET", "/api/option/")).success).toBe(true);

      const [entry] = await after
        .call<{ items: object[] }>("GET", "/api/audit/?action=user.reset-password")
        .then(({ items }) => items);
      expect(entry).toMatchObject({ actor_id: 0, target: `user:${before.userId}` });
      expect(JSON.stringify(entry)).not.toContain(password);
      const audit = await runCommand(home, ["audit"]);
      expect(audit.code, audit.output).toBe(0);
    });

    test("a password can be used although sign-in by password was switched off", async () => {
      gateway = await startGateway(home);
      const { origin } = gateway;
      await setOption(await signIn(origin), "PasswordLoginEnabled", "false");
      expect(await signsIn(origin, rootUser.password)).toMatchObject({ success: false });
      await gateway.kill();
      const { output, password } = await resetPassword();
      expect(output).toContain("is on again");
      gateway = await startGateway(home);
      expect((await signIn(gateway.origin, { ...rootUser, password })).userId).toBeGreaterThan(0);
    });

    test("a second factor stays, unless it is said to be lost too", async () => {
      gateway = await startGateway(home);
      const { origin } = gateway;
      const root = await signIn(origin);
      const { secret } = await root.call<{ secret: string }>("POST", "/api/user/2fa/setup", {
        password: rootUser.password,
      });
      const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
      await root.call("POST", "/api/user/2fa/enable", { code });

      const kept = await resetPassword();
      expect(kept.output).toContain("--remove-2fa");
      expect(await signsIn(origin, kept.password)).toMatchObject({ data: { require_2fa: true } });
      const removed = await resetPassword("--remove-2fa");
      expect(removed.output).not.toContain("--remove-2fa");
      expect((await signIn(origin, { ...rootUser, ...removed })).userId).toBe(root.userId);
    });

    test("where there is no root, no database or no such flag, the command says so and changes nothing", async () => {
      await home.remove();
      home = await makeHome(dialect);
      const noTables = await runCommand(home, [command]);
      expect([noTables.code, noTables.output.trim().split("\n").length]).toEqual([1, 1]);
      expect(noTables.output).toStartWith(
        dialect === "sqlite" ? "There is no database in" : "There are no tables",
      );
      const noRoot = { TOLLGATE_ROOT_USERNAME: undefined, TOLLGATE_ROOT_PASSWORD: undefined };
      gateway = await startGateway(home, { env: noRoot });
      const before = await runCommand(home, [command], noRoot);
      expect([before.code, before.output]).toEqual([
        1,
        "There is no root user yet. Start the gateway and open the link that it prints.\n",
      ]);
      const typo = await runCommand(home, [command, "--remove-2af"]);
      expect([typo.code, typo.output.split("\n")[0]]).toEqual([
        2,
        `Unknown command line: ${command} --remove-2af`,
      ]);
    });
  });
}
