/** Reads secrets of the environment from files, as containers and systemd hand them over. */

import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that are or contain secrets. Each may instead be the path of a file: `<name>_FILE`. */
const secretNames = [
  "ALL_PROXY",
  "DATABASE_URL",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "TOLLGATE_ACCESS_TOKEN",
  "TOLLGATE_ROOT_PASSWORD",
  "TOLLGATE_SECRET_KEY",
];

/**
 * Returns the environment with the contents of the files that it names in place of their paths.
 *
 * @throws ConfigError when a file cannot be read, or a secret is given in both ways.
 */
export function withSecretFiles(env: Environment): Environment {
  const read: Record<string, string | undefined> = { ...env };
  for (const name of secretNames) {
    const path = env[`${name}_FILE`] ?? "";
    delete read[`${name}_FILE`];
    if (path === "") continue;
    if ((env[name] ?? "") !== "") {
      throw new ConfigError(`${name} and ${name}_FILE are both set; remove one of them.`);
    }
    try {
      read[name] = readFileSync(path, "utf8").trim();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigError(`${name}_FILE cannot be read: ${reason}.`);
    }
  }
  return read;
}
