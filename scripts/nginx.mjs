/** Finds nginx for tests and the benchmark, or fetches Debian's package without installing it. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./bun.mjs";

const folder = join(root, ".cache/nginx");
const unpacked = join(folder, "usr/sbin/nginx");

/**
 * Finds nginx, or unpacks Debian's package of it. Nothing is installed, so no service starts and
 * nothing changes outside the clone.
 *
 * @returns {string} path of the program; `""`: there is none, and no way to get one
 */
export function nginxProgram() {
  const found = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]
    .map((place) => join(place, "nginx"))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  if (!works(unpacked) && existsSync("/usr/bin/apt-get")) fetchFromDebian();
  return works(unpacked) ? unpacked : "";
}

/**
 * Whether the program runs. An unpacked program may lack a library that the package manager would
 * have installed.
 */
function works(/** @type {string} */ program) {
  return existsSync(program) && spawnSync(program, ["-v"]).status === 0;
}

function fetchFromDebian() {
  process.stderr.write("Fetching nginx from the system's packages …\n");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  // On a fresh machine the package lists are empty or old. Updating them is slow, so it is done
  // only if the download fails without it.
  if (!run("apt-get", ["download", "-q", "nginx"]) && isRoot) {
    run("apt-get", ["update", "-q"]);
    run("apt-get", ["download", "-q", "nginx"]);
  }
  const file = readdirSync(folder).find((name) => name.endsWith(".deb"));
  if (file !== undefined) run("dpkg-deb", ["-x", file, "."]);
}

/**
 * Runs a program. Returns whether it succeeded.
 *
 * @param {string} program
 * @param {readonly string[]} args
 */
function run(program, args) {
  return spawnSync(program, args, { cwd: folder, stdio: ["ignore", 2, 2] }).status === 0;
}
