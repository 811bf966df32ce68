/** `tollgate doctor` and `tollgate health` on the built product, with faults planted in real places. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDialects } from "#db/testing/database.ts";
import { type Home, makeStartedHome, runCommand, startGateway } from "#test/gateway.ts";

type Finding = { check: string; state: string; message: string; advice: string };

const otherKey = randomBytes(32).toString("hex");

async function examine(home: Home, env: Record<string, string> = {}) {
  const { code, output } = await runCommand(home, ["doctor", "--json"], env);
  const read = JSON.parse(output) as { ok: boolean; findings: Finding[] };
  expect(code).toBe(read.ok ? 0 : 1);
  // The server of tests does not wait for the disk, which is a fault of its own.
  return read.findings.filter(({ state, message }) => state !== "ok" && !/fsync/.test(message));
}

for (const dialect of testDialects) {
  describe(`tollgate doctor on ${dialect}`, () => {
    let home: Home;
    beforeAll(async () => {
      home = await makeStartedHome(dialect);
    });
    afterAll(async () => await home.remove());

    test("a new installation fails in nothing, beside a running gateway, too", async () => {
      const found = await examine(home);
      expect(found.map(({ check, state }) => `${state} ${check}`).toSorted()).toEqual([
        "warn channels",
        "warn mail",
        "warn root",
      ]);
      const gateway = await startGateway(home);
      const { output } = await runCommand(home, ["doctor"]);
      expect(output).toContain("a gateway runs on this data folder");
      const port = new URL(gateway.origin).port;
      expect(await runCommand(home, ["health"], { PORT: port })).toEqual({ code: 0, output: "" });
      await gateway.stop("SIGINT");
      expect(await runCommand(home, ["health"], { PORT: port })).toMatchObject({ code: 1 });
    });

    test("a setting that cannot be used, and a wrong key", async () => {
      const sample = { TOLLGATE_SECRET_KEY: "f".repeat(64) };
      expect(await examine(home, sample)).toMatchObject([{ check: "settings", state: "fail" }]);
      expect(await examine(home, { PORT: "many" })).toMatchObject([
        { check: "settings", state: "fail", message: expect.stringContaining("PORT") },
      ]);
      const found = await examine(home, { TOLLGATE_SECRET_KEY: otherKey });
      expect(found).toContainEqual(expect.objectContaining({ check: "key", state: "fail" }));
    });

    test("certificates that are none, and a proxy for all upstreams", async () => {
      const file = join(home.dataDir, "extra.pem");
      writeFileSync(file, "nothing");
      const found = await examine(home, {
        NODE_EXTRA_CA_CERTS: file,
        HTTPS_PROXY: "http://user:hunter2@127.0.0.1:9",
      });
      expect(found).toContainEqual(
        expect.objectContaining({ check: "certificates", state: "fail" }),
      );
      const proxy = found.find(({ check }) => check === "proxies");
      expect(proxy?.message).toContain("127.0.0.1:9");
      expect(JSON.stringify(found)).not.toContain("hunter2");
    });
  });
}

test("a database server that is away", async () => {
  const home = await makeStartedHome("sqlite");
  const found = await examine(home, {
    DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
    TOLLGATE_SECRET_KEY: otherKey,
  });
  expect(found).toContainEqual(expect.objectContaining({ check: "database", state: "fail" }));
  await home.remove();
});

test("an open folder, a readable key, a spoilt option, a damaged and a newer database", async () => {
  const home = await makeStartedHome("sqlite");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-planted-"));
  cpSync(home.dataDir, folder, { recursive: true });
  const env = { TOLLGATE_DATA_DIR: folder };
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "secret.key"), 0o644);
  const file = join(folder, "tollgate.db");
  const change = (statement: string): void => {
    const sqlite = new Database(file);
    sqlite.run(statement);
    sqlite.close();
  };
  change("insert into options (key, value) values ('RetryTimes', 'many')");
  change(`update options set value = 'many' where key = 'RetryTimes'`);
  const found = (await examine(home, env)).map(({ check, state }) => `${state} ${check}`);
  expect(found).toEqual(expect.arrayContaining(["warn folder", "fail key file", "fail options"]));

  change("insert into schema_migrations (name, checksum) values ('29991231-2359-later', '')");
  expect(await examine(home, env)).toContainEqual(
    expect.objectContaining({
      check: "database",
      message: expect.stringContaining("newer version"),
    }),
  );
  change("delete from schema_migrations where name = '29991231-2359-later'");
  truncateSync(file, 100_000);
  const damaged = await examine(home, env);
  expect(damaged).toContainEqual(expect.objectContaining({ check: "database", state: "fail" }));
  rmSync(folder, { recursive: true });
  await home.remove();
});
