/** `tollgate backup` while calls run, and `tollgate restore`, on the built product. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDialects } from "#db/testing/database.ts";
import { type Home, makeHome, runCommand, startGateway } from "#test/gateway.ts";
import { addSpender, type Installation, openInstallation } from "./installation.ts";
import { chat } from "./chat-call.ts";

/** A call has 17 input and 20 output tokens, which cost 37 quota units. */
const model = { name: "m", script: { promptTokens: 17, events: 20, piece: "word " }, ratio: 1 };

for (const dialect of testDialects) {
  describe(`backup on ${dialect}`, () => {
    let folder: string;
    let home: Home;
    let shop: Installation;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-backup-"));
      shop = await openInstallation(dialect, { models: [model] });
      ({ home } = shop);
    });
    afterEach(async () => {
      await shop.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const command = async (place: Home, ...args: string[]) => await runCommand(place, args);

    /** Makes an empty place to restore into, with the key of the installation. */
    async function emptyPlace(): Promise<Home> {
      const place = await makeHome(dialect);
      const key = join(home.dataDir, "secret.key");
      if (existsSync(key)) copyFileSync(key, join(place.dataDir, "secret.key"));
      return place;
    }

    test("what is copied in the midst of calls is proven after the way back, and serves calls", async () => {
      const file = join(folder, "shop.backup");
      const spender = await addSpender(shop, 500_000_000);
      let isRunning = true;
      let calls = 0;
      const callers = Array.from({ length: 8 }, async () => {
        while (isRunning) {
          await chat(shop.origin, { key: spender.key, model: model.name, stream: calls % 2 === 0 });
          calls += 1;
        }
      });
      while (calls < 20) await Bun.sleep(20);
      const made = await command(home, "backup", file);
      const atEnd = calls;
      while (calls < atEnd + 20) await Bun.sleep(20);
      isRunning = false;
      await Promise.all(callers);
      expect(made.code, made.output).toBe(0);
      expect(made.output).toMatch(/, \d+ bytes, sha256 [0-9a-f]{64}\n/);
      expect(statSync(file).mode & 0o077).toBe(0);
      expect((await command(home, "backup", file)).output).toContain("exists already");

      const place = await emptyPlace();
      const restored = await command(place, "restore", file);
      expect(restored.code, restored.output).toBe(0);
      expect(restored.output).toMatch(/audit: ok, [1-9]\d* entries, [1-9]\d* quota units charged/);
      const gateway = await startGateway(place);
      const { key } = spender;
      const answer = await chat(gateway.origin, { key, model: model.name, stream: false });
      expect(answer.status).toBe(200);
      await gateway.stop("SIGINT");
      expect((await command(place, "audit")).output).toMatch(/^audit: ok/m);
      // It is not written over.
      expect((await command(place, "restore", file)).code).toBe(1);
      await place.remove();
    });

    test("a wrong key, a damaged file and a strange file change nothing", async () => {
      const file = join(folder, "shop.backup");
      expect((await command(home, "backup", file)).code).toBe(0);
      const place = await emptyPlace();
      const other = {
        TOLLGATE_SECRET_KEY: "0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff",
      };
      const wrong = await runCommand(place, ["restore", file], other);
      expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining("secret key") });

      const damaged = join(folder, "damaged");
      copyFileSync(file, damaged);
      truncateSync(damaged, Math.floor(statSync(file).size / 2));
      expect(await command(place, "restore", damaged)).toMatchObject({ code: 1 });
      const strange = join(folder, "strange");
      writeFileSync(strange, "no backup");
      expect(await command(place, "restore", strange)).toMatchObject({ code: 1 });
      expect((await command(place, "restore", join(folder, "none"))).output).toContain(
        "There is no file",
      );

      // After all that, the place is still empty.
      const restored = await command(place, "restore", file);
      expect(restored.code, restored.output).toBe(0);
      await place.remove();
    });
  });
}
