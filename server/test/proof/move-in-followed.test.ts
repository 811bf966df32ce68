/**
 * Users move in while the old gateway is still in use: they cannot call here until root opens them,
 * or until the last run, so that no balance is spent in two places.
 */

import { expect, test } from "bun:test";
import { makeSource, ages } from "#commands/import/testing/sources.ts";
import { fill } from "#commands/import/testing/target.ts";
import { signIn } from "#test/console.ts";
import { executable, makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

const testMs = 300_000;

async function ask(origin: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${origin}/v1/models`, { headers });
  const { error } = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: error?.code, again: response.headers.get("retry-after") };
}

const keyOf = (id: number): string => `sk-${"k".repeat(40)}${String(id).padStart(8, "0")}`;

test(
  "while a gateway runs, users of a source that is followed get 503 until they are opened; then everybody calls",
  async () => {
    const age = ages.find(({ name }) => name === "new-api of 2026");
    if (age === undefined) throw new Error("there is no such age");
    const source = makeSource(age);
    const home = await makeStartedHome("postgres");
    try {
      fill(source, age, 20);
      const gateway = await startGateway(home);
      try {
        const { PATH = "" } = process.env;
        const following = Bun.spawn([executable, "import", source.address, "--follow", "1"], {
          env: { PATH, ...home.env },
          stdout: "ignore",
          stderr: "ignore",
        });
        const moving = { status: 503, code: "moving", again: "60" };
        const until = async (key: string, wanted: object): Promise<void> => {
          for (let tries = 0; tries < 300; tries += 1) {
            if (Bun.deepMatch(wanted, await ask(gateway.origin, key))) break;
            await Bun.sleep(100);
          }
          expect(await ask(gateway.origin, key)).toMatchObject(wanted);
        };
        await until(keyOf(20), moving);
        const root = await signIn(gateway.origin);
        type Listed = { id: number; moving: number; progress: { rows: object } | null };
        const list = async () => (await root.call<Listed[]>("GET", "/api/import/"))[0];
        for (let tries = 0; (await list())?.progress === null && tries < 300; tries += 1) {
          await Bun.sleep(100);
        }
        const shown = await list();
        expect(shown).toMatchObject({ moving: 20 });
        const open = await root.call("POST", `/api/import/${shown?.id}/open`, { user: "user10" });
        expect(open).toEqual({ username: "user10" });
        expect((await ask(gateway.origin, keyOf(10))).status).toBe(200);
        expect(await ask(gateway.origin, keyOf(11))).toMatchObject(moving);
        const again = await root.send("POST", `/api/import/${shown?.id}/open`, { user: "user10" });
        expect(again.success).toBe(false);

        following.kill("SIGINT");
        expect(await following.exited).toBe(0);
        expect(await ask(gateway.origin, keyOf(11))).toMatchObject(moving);
        const last = await runCommand(home, ["import", source.address, "--finish"]);
        expect(last.output).toContain(": equal");
        await until(keyOf(11), { status: 200 });
        expect(await list()).toMatchObject({ moving: 0 });
      } finally {
        await gateway.stop("SIGINT");
      }
      expect((await runCommand(home, ["audit"])).output).toStartWith("audit: ok");
    } finally {
      await source.remove();
      await home.remove();
    }
  },
  testMs,
);
