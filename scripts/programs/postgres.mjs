/** Finds the programs of a PostgreSQL server, and installs them where this user may do so. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { canInstall, installPackages } from "./apt.mjs";

/** The oldest PostgreSQL that Tollgate supports. */
const versionMin = 15;

/**
 * Finds the newest programs of a PostgreSQL server, or installs them.
 *
 * @returns {string} the folder that holds `initdb` and `postgres`, the newest there is
 * @throws {Error} saying what to install when there is none and this user may not install it
 */
export function postgresPrograms() {
  const found = newest();
  if (found !== undefined) return found;
  if (canInstall()) {
    keepDefaultClusterAway();
    installPackages(["postgresql"]);
    const installed = newest();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    `The tests need the programs of a PostgreSQL server (initdb, postgres), version ${versionMin} or newer.
No service has to run. To install them:
  Debian, Ubuntu  sudo apt-get install postgresql
  Fedora          sudo dnf install postgresql-server
  Alpine          sudo apk add postgresql
  macOS           brew install postgresql
Or name a running server that tests may write to: TOLLGATE_TEST_POSTGRES=postgres://…`,
  );
}

/**
 * Finds a program of PostgreSQL that is installed with the server, such as `pg_dump`. The folder of
 * the server's programs may hold nothing but links to some of them.
 *
 * @param {string} name
 */
export function postgresProgram(name) {
  return join(dirname(realpathSync(join(postgresPrograms(), "initdb"))), name);
}

/** Finds the newest server programs. Debian keeps them off the PATH, in one folder per version. */
function newest() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
    "/usr/local/bin",
    "/opt/homebrew/opt/postgresql/bin",
    "/usr/local/opt/postgresql/bin",
  ]
    .filter((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))
    .map((folder) => ({ folder, version: majorVersion(join(folder, "postgres")) }))
    .filter(({ version }) => version >= versionMin)
    .toSorted((a, b) => b.version - a.version)
    .at(0)?.folder;
}

/**
 * Asks a PostgreSQL program for its major version.
 *
 * @param {string} program
 * @returns {number} 0 when it does not say
 */
function majorVersion(program) {
  // The output is like "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return Number(/ (\d+)[.\d]*/.exec(stdout ?? "")?.[1] ?? 0);
}

/**
 * Configures Debian's package so that it does not create and start a database server for the whole
 * machine.
 */
function keepDefaultClusterAway() {
  const folder = "/etc/postgresql-common";
  if (existsSync(folder)) return;
  mkdirSync(folder);
  writeFileSync(join(folder, "createcluster.conf"), "create_main_cluster = false\n");
}
