/**
 * Keys of which another gateway had only hashes are answered from their first call on; the console
 * shows them since then, and the books are proven.
 */

import { expect, test } from "bun:test";
import { fillLitellm, litellmKey, makeLitellmSource } from "#commands/import/testing/litellm.ts";
import { testDialects } from "#db/testing/database.ts";
import { signIn } from "#test/console.ts";
import { makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

const testMs = 300_000;
const users = 40;

async function status(origin: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${origin}/v1/models`, { headers })).status;
}

type Shown = { readonly id: number; readonly name: string; readonly key: string };

for (const dialect of testDialects) {
  test(
    `keys that came as hashes work whole, are shown after their first use, and stay after a restart: ${dialect}`,
    async () => {
      const source = await makeLitellmSource();
      const home = await makeStartedHome(dialect);
      try {
        fillLitellm(source, users);
        await source.settle();
        const words = ["import", source.address, "--json", "--unlimited", "20"];
        expect((await runCommand(home, words)).code).toBe(0);
        for (const turn of ["first", "second"] as const) {
          const gateway = await startGateway(home);
          try {
            const root = await signIn(gateway.origin);
            const find = async (name: string) =>
              (
                await root.call<Shown[]>(
                  "GET",
                  `/api/token/newSearch?keyword=${encodeURIComponent(name)}`,
                )
              ).find((token) => token.name === name);
            const before = await find("key 1");
            if (before === undefined) throw new Error("the token is not listed");
            if (turn === "first") {
              expect(before.key).toBe("");
              const refused = await root.send("POST", `/api/token/${before.id}/key`);
              expect(refused.success).toBe(false);
            } else expect(before.key).toBe("xx••••_1");
            const statuses = new Set<number>();
            for (let id = 1; id <= users + 3; id += 1) {
              statuses.add(await status(gateway.origin, litellmKey(id)));
            }
            expect([...statuses]).toEqual([200]);
            expect(await status(gateway.origin, `${litellmKey(1)}x`)).toBe(401);
            // The blocked one, and the key of a blocked team.
            expect(await status(gateway.origin, litellmKey(users + 4))).toBe(401);
            expect(await status(gateway.origin, litellmKey(users + 6))).toBe(403);
            for (let tries = 0; (await find("key 1"))?.key === "" && tries < 100; tries += 1) {
              await Bun.sleep(50);
            }
            const shown = await root.call<{ key: string }>("POST", `/api/token/${before.id}/key`);
            expect(`sk-${shown.key}`).toBe(litellmKey(1));
          } finally {
            await gateway.stop("SIGINT");
          }
        }
        expect((await runCommand(home, ["audit"])).output).toStartWith("audit: ok");
      } finally {
        await source.remove();
        await home.remove();
      }
    },
    testMs,
  );
}
