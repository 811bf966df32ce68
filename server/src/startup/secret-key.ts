/** The secret key of an installation whose database is a file beside it. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "./config-error.ts";

/**
 * The shortest secret key that is accepted. `openssl rand -hex 32` prints twice as many characters.
 */
export const secretLengthMin = 32;

/**
 * Reads the key in a file. Makes one if there is neither a key nor a database: a new key beside an
 * existing database would open nothing that is sealed there, and hide that the right one is lost.
 *
 * @throws ConfigError in words for the operator.
 */
export function secretKeyIn(file: string, databaseFile: string): string {
  const hasDatabase = sizeOf(databaseFile) > 0;
  // A disk that was full at the first start leaves an empty file.
  if (sizeOf(file) === 0 && !hasDatabase) makeKey(file);
  if (!existsSync(file)) {
    throw new ConfigError(
      `${file} is missing, but ${databaseFile} exists, and only its own key opens what is sealed in it. ` +
        "Restore secret.key from your backup (docs/operate/backup.md).",
    );
  }
  const key = readFileSync(file, "utf8").trim();
  if (key.length >= secretLengthMin) return key;
  throw new ConfigError(
    `${file} holds no secret key; restore it from your backup (docs/operate/backup.md).`,
  );
}

/** Returns 0 also if there is no file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Writes a new key, so that the file has all of it or does not exist, also after a crash. */
function makeKey(file: string): void {
  const made = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  const fresh = `${file}.${process.pid}`;
  try {
    writeDurably(fresh, `${made}\n`);
    if (existsSync(file)) rmSync(file);
    // Of two processes that start at once, one makes the key and both use it.
    linkSync(fresh, file);
    syncFolder(dirname(file));
  } catch (error) {
    if (sizeOf(file) > 0) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The secret key could not be written to ${file}: ${reason}.`);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, "w", 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
