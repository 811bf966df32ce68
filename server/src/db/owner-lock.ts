/** Lets only one process own a SQLite database, because the owner keeps the balances in memory. */

import { Database as Sqlite } from "bun:sqlite";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Another process owns the data directory. */
export class OwnedElsewhere extends Error {
  override readonly name = "OwnedElsewhere";
}

/** Whether a process owns the data directory now. */
export function isOwned(dataDir: string): boolean {
  const file = join(dataDir, "owner.lock");
  if (!existsSync(file)) return false;
  const lock = new Sqlite(file, { readonly: true });
  try {
    lock.query("select count(*) from sqlite_master").get();
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}

/**
 * Locks the data directory until the process ends, also when it crashes.
 *
 * @returns a function that unlocks it.
 * @throws OwnedElsewhere with the owner's process id.
 */
export function lockDataDir(dataDir: string): () => void {
  const pidFile = join(dataDir, "owner.pid");
  const lock = new Sqlite(join(dataDir, "owner.lock"), { create: true });
  try {
    lock.run("begin exclusive");
  } catch {
    lock.close();
    const pid = existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim() : "unknown";
    throw new OwnedElsewhere(
      `${dataDir} is in use by another process (pid ${pid}). Stop it, or set TOLLGATE_DATA_DIR.`,
    );
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return () => lock.close();
}
