/**
 * `tollgate backup` and `tollgate restore`: a consistent copy of the database while the gateway runs,
 * and the way back, with proof that the secret key is the right one. On PostgreSQL by its own
 * programs, as the guide has it.
 */

import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openSecrets } from "#base/secrets.ts";
import { openDatabase } from "#db/connection.ts";
import { copySqlite, isSqlite, isWholeSqlite } from "#db/sqlite-copy.ts";
import { lockDataDir } from "#db/owner-lock.ts";
import { requireSchema } from "#db/migrator.ts";
import { SchemaError } from "#db/schema-error.ts";
import { wrongKey } from "#modules/installation/key-check.ts";
import { runAudit } from "#modules/proof/audit-command.ts";
import type { Config } from "#config.ts";
import { dumpPostgres, findDumpFault, restorePostgres } from "./postgres-dump.ts";

type Tell = (line: string) => void;

/** Writes a backup. @returns the exit code. */
export async function runBackup(config: Config, given: string, tell: Tell): Promise<number> {
  const file = resolve(given);
  if (existsSync(file)) {
    tell(`${file} exists already. Name another file, or remove it.`);
    return 1;
  }
  if (!existsSync(dirname(file))) {
    tell(`There is no folder ${dirname(file)}.`);
    return 1;
  }
  const wrong = await judgeKey(config);
  if (wrong !== null) {
    tell(`backup: ${wrong}`);
    return 1;
  }
  // Under its name the file is always whole.
  const part = `${file}.part-${process.pid}`;
  try {
    const { database } = config;
    if (database.dialect === "sqlite") copySqlite(database.file, part);
    else await dumpPostgres(database.url, part);
    sync(part);
    renameSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
  tell(`backup: ${file}, ${statSync(file).size} bytes, sha256 ${await hashOf(file)}`);
  tell(`backup: made with the key whose fingerprint is ${fingerprintOf(config)}.`);
  tell(
    config.secretKeyFile === ""
      ? "The key is not in it: keep TOLLGATE_SECRET_KEY apart from it, as docs/operate/backup.md says."
      : `The key is not in it: keep a copy of ${config.secretKeyFile} apart from it.`,
  );
  return 0;
}

/** How many digits of a fingerprint are shown. */
const fingerprintShown = 16;

function fingerprintOf({ secretKey }: Config): string {
  return openSecrets(secretKey).fingerprint.slice(0, fingerprintShown);
}

/** Says what is wrong with the key; null: it is the database's own. */
async function judgeKey({ database, secretKey }: Config): Promise<string | null> {
  const { db, dialect, close } = openDatabase(database, "reader");
  try {
    await requireSchema(db, dialect);
    return await wrongKey(db, openSecrets(secretKey).fingerprint);
  } finally {
    await close();
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

function sync(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Brings a backup back into an empty folder or database. @returns the exit code. */
export async function runRestore(config: Config, given: string, tell: Tell): Promise<number> {
  const file = resolve(given);
  if (!existsSync(file)) {
    tell(`There is no file ${file}.`);
    return 1;
  }
  const fault =
    config.database.dialect === "sqlite"
      ? await restoreSqlite(config, file)
      : await restoreIntoPostgres(config, file);
  if (fault !== null) {
    tell(`restore: ${fault}`);
    tell("Nothing was changed.");
    return 1;
  }
  tell(
    `restore: the key with the fingerprint ${fingerprintOf(config)} opens what is sealed in it.`,
  );
  try {
    return await runAudit(config.database, tell, async () => null);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    tell(`restore: ${error.message} Then run tollgate audit.`);
    return 0;
  }
}

/** @returns what is wrong, and nothing was changed then; null: it is restored. */
async function restoreSqlite(config: Config, file: string): Promise<string | null> {
  const target = join(config.dataDir, "tollgate.db");
  for (const name of [target, `${target}-wal`, `${target}-shm`]) {
    if (existsSync(name)) return `${name} exists. Restore into an empty folder.`;
  }
  if (!isSqlite(file)) return `${file} is no backup of a SQLite database.`;
  const unlock = lockDataDir(config.dataDir);
  const part = `${target}.part-${process.pid}`;
  try {
    copyFileSync(file, part);
    if (!isWholeSqlite(part)) return `${file} is damaged.`;
    const copy = { dialect: "sqlite", file: part } as const;
    const wrong = await judgeRestored({ ...config, database: copy });
    if (wrong !== null) return wrong;
    sync(part);
    renameSync(part, target);
    return null;
  } finally {
    for (const ending of ["", "-wal", "-shm"]) rmSync(part + ending, { force: true });
    unlock();
  }
}

/** @returns what is wrong, and nothing was changed then; null: it is restored. */
async function restoreIntoPostgres(config: Config, file: string): Promise<string | null> {
  if (config.database.dialect !== "postgres") return "there is no DATABASE_URL";
  const { fingerprint } = openSecrets(config.secretKey);
  const fault = await findDumpFault(config.database.url, file, fingerprint);
  return fault ?? (await restorePostgres(config.database.url, file));
}

/** Judges a database that may be of an earlier version, by what all versions have. */
async function judgeRestored({ database, secretKey }: Config): Promise<string | null> {
  const { db, dialect, close } = openDatabase(database, "reader");
  try {
    await requireSchema(db, dialect).catch((error: unknown) => {
      // The gateway brings an earlier version up to date when it starts.
      const isEarlier = error instanceof SchemaError && error.message.includes("earlier version");
      if (!isEarlier) throw error;
    });
    return await wrongKey(db, openSecrets(secretKey).fingerprint);
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    throw error;
  } finally {
    await close();
  }
}
