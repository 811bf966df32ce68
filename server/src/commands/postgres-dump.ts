/** Runs PostgreSQL's own `pg_dump` and `pg_restore` for backups. */

import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { openDatabase } from "#db/connection.ts";
import { fingerprintKey } from "#modules/installation/installation.store.ts";
import { ConfigError } from "#startup/config-error.ts";

/**
 * The settings of libpq that say what a URL says. A URL among the arguments would show its password
 * to every user of the machine.
 */
function settingsOf(url: string): Record<string, string> {
  const address = new URL(url);
  const settings: Record<string, string> = {
    PGHOST: decodeURIComponent(address.hostname).replace(/^\[|\]$/g, ""),
    PGPORT: address.port || "5432",
    PGUSER: decodeURIComponent(address.username),
    PGPASSWORD: decodeURIComponent(address.password),
    PGDATABASE: decodeURIComponent(address.pathname.slice(1)),
  };
  const named: Readonly<Record<string, string>> = {
    host: "PGHOST",
    sslmode: "PGSSLMODE",
    sslrootcert: "PGSSLROOTCERT",
    sslcert: "PGSSLCERT",
    sslkey: "PGSSLKEY",
  };
  for (const [name, setting] of Object.entries(named)) {
    const value = address.searchParams.get(name);
    if (value !== null) settings[setting] = value;
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ""));
}

/** Runs a program of PostgreSQL. @returns what it says against it; empty: it was done. */
async function run(name: string, args: readonly string[], url: string): Promise<string> {
  const path = Bun.which(name);
  if (path === null) {
    throw new ConfigError(
      `${name} is not installed. It is in PostgreSQL's package of client programs.`,
    );
  }
  const child = Bun.spawn([path, ...args], {
    env: { ...process.env, ...settingsOf(url) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = (await new Response(child.stderr).text()).trim();
  return (await child.exited) === 0 ? "" : said || `${name} failed`;
}

/** Writes a dump as of one moment. Writers go on meanwhile. */
export async function dumpPostgres(url: string, file: string): Promise<void> {
  const fault = await run("pg_dump", ["--format=custom", "--no-owner", `--file=${file}`], url);
  if (fault !== "") throw new ConfigError(`pg_dump: ${fault}`);
}

/**
 * Says why a dump cannot be restored; null: it can. Reads nothing of it but what shows its key.
 *
 * @param fingerprint that of the key it is to be used with.
 */
export async function findDumpFault(
  url: string,
  file: string,
  fingerprint: string,
): Promise<string | null> {
  const { db, close } = openDatabase({ dialect: "postgres", url }, "reader");
  try {
    const { rows } = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = current_schema() limit 1
    `.execute(db);
    if (rows[0] !== undefined) {
      return "the database (DATABASE_URL) has tables already. Restore into an empty one.";
    }
  } finally {
    await close();
  }
  const text = join(tmpdir(), `tollgate-key-${process.pid}.sql`);
  try {
    const args = ["--data-only", "--table=meta", `--file=${text}`, file];
    const fault = await run("pg_restore", args, url);
    if (fault !== "") return `${file} is no backup of a PostgreSQL database: ${fault}`;
    const own = readFileSync(text, "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${fingerprintKey}\t`));
    if (own === undefined || own === `${fingerprintKey}\t${fingerprint}`) return null;
    return "the secret key is not the one this backup was made with, so nothing sealed in it could be opened.";
  } finally {
    rmSync(text, { force: true });
  }
}

/** Brings a dump back, all of it or nothing. @returns what went wrong; null: nothing. */
export async function restorePostgres(url: string, file: string): Promise<string | null> {
  const { PGDATABASE = "" } = settingsOf(url);
  const args = ["--no-owner", "--single-transaction", "--exit-on-error", `--dbname=${PGDATABASE}`];
  const fault = await run("pg_restore", [...args, file], url);
  return fault === "" ? null : `pg_restore: ${fault}`;
}
