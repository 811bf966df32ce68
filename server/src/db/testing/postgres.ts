/** Creates databases on the PostgreSQL server that runs beside the tests. */

import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "pg";

type TestPostgres = {
  readonly url: string;
  /** Removes the database, even while connections to it are open. */
  drop(): Promise<void>;
};

/** Key of the advisory lock, so that only one test process makes the template. */
const templateLock = 7_410_002;

/**
 * Creates a database with a unique name.
 *
 * @param prepare makes the schema in the database at `url` and closes its connections. It runs once
 * for all tests of a server; each test gets a copy of that database, which takes a third of the
 * time. If it is left out, the database is empty.
 * @param version of what `prepare` runs besides the schema's files; a changed one makes it run again
 */
export async function createPostgresDatabase(
  prepare?: (url: string) => Promise<void>,
  version = "",
): Promise<TestPostgres> {
  const name = uniqueName("tollgate_test");
  await withServer(async (server) => {
    const template =
      prepare === undefined ? "template1" : await findTemplate(server, prepare, version);
    await server.query(`create database ${name} template ${template}`);
  });
  return { url: urlOf(name), drop: async () => await withServer((server) => drop(server, name)) };
}

/** The templates that are known to be there, by what makes them. */
const templates = new Map<string, string>();

/** Returns the name of the template, which is made if it is missing. */
async function findTemplate(
  server: Client,
  prepare: (url: string) => Promise<void>,
  version: string,
): Promise<string> {
  const preparation = String(prepare) + version;
  const known = templates.get(preparation);
  if (known !== undefined) return known;
  const template = `tollgate_template_${schemaFingerprint(preparation)}`;
  await makeTemplate(server, template, prepare);
  templates.set(preparation, template);
  return template;
}

/** Makes the template under another name and renames it, so that it is always complete. */
async function makeTemplate(
  server: Client,
  template: string,
  prepare: (url: string) => Promise<void>,
): Promise<void> {
  await server.query("select pg_advisory_lock($1)", [templateLock]);
  const { rowCount } = await server.query("select from pg_database where datname = $1", [template]);
  if (rowCount === 0) {
    const unfinished = uniqueName("tollgate_unfinished");
    await server.query(`create database ${unfinished}`);
    try {
      await prepare(urlOf(unfinished));
      await server.query(`alter database ${unfinished} rename to ${template}`);
    } catch (error) {
      await drop(server, unfinished);
      throw error;
    }
  }
  await server.query("select pg_advisory_unlock($1)", [templateLock]);
}

/**
 * Returns a hash of all files that decide the schema, so that a changed schema gets a new template.
 *
 * @param preparation source text of the function that makes the schema.
 */
function schemaFingerprint(preparation: string): string {
  const db = dirname(import.meta.dir);
  const folders = [db, join(db, "migrations")];
  const hash = createHash("sha256").update(preparation);
  for (const folder of folders) {
    for (const file of readdirSync(folder).toSorted()) {
      if (file.endsWith(".ts")) hash.update(readFileSync(join(folder, file)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function drop(server: Client, name: string): Promise<void> {
  await server.query(`drop database if exists ${name} with (force)`);
}

/**
 * Connects for each use, because no test can know that it is the last one and has to disconnect.
 */
async function withServer<Result>(use: (server: Client) => Promise<Result>): Promise<Result> {
  const server = new Client({ connectionString: serverUrl() });
  await server.connect();
  try {
    return await use(server);
  } finally {
    await server.end();
  }
}

function uniqueName(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

function urlOf(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Returns the server's URL. Throws if there is none: a test must not silently leave PostgreSQL out.
 */
function serverUrl(): string {
  const url = process.env["TOLLGATE_TEST_POSTGRES"];
  if (url !== undefined && url !== "") return url;
  throw new Error(
    "This test needs a PostgreSQL server, and TOLLGATE_TEST_POSTGRES names none. Run it as " +
      "`node scripts/postgres.mjs -- bun test <path>`, which starts one, or run `npm test`.",
  );
}
