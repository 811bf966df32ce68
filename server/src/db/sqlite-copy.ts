/** Copies a SQLite database while others write it, and judges such copies. */

import { Database as Sqlite } from "bun:sqlite";
import { closeSync, openSync, readSync } from "node:fs";

/** How long a copy waits for a lock of the running gateway, in milliseconds. */
const busyMs = 10_000;

/** Makes a copy as of one moment. Writers go on meanwhile. */
export function copySqlite(from: string, to: string): void {
  const sqlite = new Sqlite(from, { readonly: true });
  try {
    sqlite.run(`pragma busy_timeout = ${busyMs}`);
    sqlite.query("vacuum into ?").run(to);
  } finally {
    sqlite.close();
  }
}

const magic = "SQLite format 3\0";

/** Whether a file begins as a SQLite database does. */
export function isSqlite(file: string): boolean {
  const head = Buffer.alloc(magic.length);
  const handle = openSync(file, "r");
  try {
    readSync(handle, head, 0, head.length, 0);
  } finally {
    closeSync(handle);
  }
  return head.toString("latin1") === magic;
}

/** Whether every page of a database can be read and fits the others. */
export function isWholeSqlite(file: string): boolean {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    const found = sqlite.query<{ quick_check: string }, []>("pragma quick_check(1)").get();
    return found?.quick_check === "ok";
  } catch {
    return false;
  } finally {
    sqlite.close();
  }
}
