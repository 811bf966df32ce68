/** Takes a lock on another connection, which keeps a gateway's store from committing. */

import { join } from "node:path";
import { Client } from "pg";
import type { Home } from "#test/gateway.ts";

type Lock = { isHeld(): boolean; release(): Promise<unknown> };

/**
 * Takes the lock. It lasts until `release`, and at least for `atLeastMs`, so that calls are refused
 * while it is held, also on a slow machine.
 */
export async function lockDatabase(home: Home, atLeastMs: number): Promise<Lock> {
  return home.dialect === "sqlite"
    ? await lockFile(join(home.dataDir, "tollgate.db"), atLeastMs)
    : await lockTable(home.env["DATABASE_URL"] ?? "", atLeastMs);
}

/** Takes SQLite's write lock in another process, because a process does not block itself. */
async function lockFile(file: string, atLeastMs: number): Promise<Lock> {
  const program = `
    const { Database } = require("bun:sqlite");
    const db = new Database(${JSON.stringify(file)});
    db.exec("PRAGMA busy_timeout = 10000; BEGIN EXCLUSIVE");
    console.log("locked");
    const enough = Bun.sleep(${atLeastMs});
    for await (const _ of Bun.stdin.stream()) {}
    await enough;
    db.exec("ROLLBACK");
    db.close();`;
  const command = [process.execPath, "--no-env-file", "-e", program];
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe" });
  await child.stdout.getReader().read();
  return {
    isHeld: () => child.exitCode === null,
    release: async () => {
      await child.stdin.end();
      return await child.exited;
    },
  };
}

/** Locks the tables that every settlement writes to, first or in the end. */
async function lockTable(url: string, atLeastMs: number): Promise<Lock> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("begin");
  await client.query("lock table journal, entries in exclusive mode");
  const enough = Bun.sleep(atLeastMs);
  let held = true;
  return {
    isHeld: () => held,
    async release() {
      await enough;
      held = false;
      await client.end();
    },
  };
}
