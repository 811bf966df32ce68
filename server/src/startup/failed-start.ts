/** Says in one line why the program could not start, and what the operator can do. */

import { ConfigError } from "./config-error.ts";
import type { DatabaseAddress } from "#db/connection.ts";
import { SecretError } from "#base/secrets.ts";
import { OwnedElsewhere } from "#db/owner-lock.ts";
import { isOutOfConnections, poolUsual } from "#db/pool-shares.ts";
import { SchemaError } from "#db/schema-error.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";

/** What was to be started. */
type Place = {
  readonly dataDir: string;
  readonly database: DatabaseAddress;
  readonly host: string;
  readonly port: number;
};

/**
 * Returns the message of an error for the operator. Errors that an operator can fix become one
 * line; any other error is a bug and keeps its stack.
 *
 * @param place null: the environment could not be read.
 */
export function explainFailure(error: unknown, place: Place | null): string {
  const known = [ConfigError, OwnedElsewhere, SchemaError, SecretError];
  if (known.some((kind) => error instanceof kind)) return String(error).replace(/^\w+: /, "");
  const text = error instanceof StoreUnavailable ? error.reason : String(error);
  const told = place === null ? undefined : (ofFiles(text, place) ?? ofSocket(error, place));
  if (told !== undefined) return told;
  if (error instanceof StoreUnavailable && isOutOfConnections(text)) {
    return (
      "PostgreSQL has no connections left for this node: it opens up to DATABASE_POOL " +
      `(${poolUsual} unless set). Raise max_connections, or lower DATABASE_POOL on every node; ` +
      `docs/operate/postgresql.md has the sum. The server says: ${error.reason}`
    );
  }
  if (error instanceof StoreUnavailable) {
    return `The database (DATABASE_URL) cannot be used: ${error.reason}`;
  }
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}

/** What the system, and SQLite, say of files, and what it means here. */
function ofFiles(text: string, { dataDir, database }: Place): string | undefined {
  const has = (...words: readonly string[]) => words.some((word) => text.includes(word));
  if (has("ENOSPC", "database or disk is full")) {
    return `The disk with ${dataDir} is full. Free some space, or set TOLLGATE_DATA_DIR to a folder on another disk.`;
  }
  if (database.dialect === "sqlite" && has("file is not a database", "image is malformed")) {
    return (
      `${database.file} is damaged. Keep a copy of it, and restore the last backup, as ` +
      "docs/operate/backup.md says."
    );
  }
  if (has("EACCES", "EPERM", "EROFS", "readonly database", "unable to open database file")) {
    return (
      `${dataDir} cannot be written by this user. Give the folder to the user that runs Tollgate, or ` +
      "set TOLLGATE_DATA_DIR to another one."
    );
  }
  if (has("EMFILE", "ENFILE")) {
    return "This process may not open enough files. Raise the limit (`ulimit -n 65536`, or LimitNOFILE in systemd).";
  }
  return undefined;
}

function ofSocket(error: unknown, { host, port }: Place): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return `The port ${port} of ${host} is in use by another program. Set PORT to another one.`;
    case "EADDRNOTAVAIL":
      return `${host} is no address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`;
    case "EACCES":
      return `The port ${port} may not be opened by this user. Set PORT to one above 1023.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST is ${host}, which is no address. Write an IPv6 address without brackets.`;
    default:
      return undefined;
  }
}
