/** Finds nginx and Caddy for tests and the benchmark, or fetches Debian's packages of them. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./bun.mjs";

/** Where packages are unpacked. */
const folder = join(root, ".cache/reverse-proxies");

/** @returns {string} path of nginx; `""`: there is none, and no way to get one */
export function nginxProgram() {
  return program("nginx", "usr/sbin/nginx", "-v");
}

/** @returns {string} path of Caddy; `""`: there is none, and no way to get one */
export function caddyProgram() {
  return program("caddy", "usr/bin/caddy", "version");
}

/**
 * Finds a program, or unpacks Debian's package of it. Nothing is installed, so no service starts
 * and nothing changes outside the clone.
 *
 * @param {string} name of the program and of its package
 * @param {string} place in the package
 * @param {string} question an argument by which the program says its version
 * @returns {string} path of the program; `""`: there is none, and no way to get one
 */
function program(name, place, question) {
  const found = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]
    .map((each) => join(each, name))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  const unpacked = join(folder, name, place);
  // An unpacked program may lack a library that the package manager would have installed.
  const works = () => existsSync(unpacked) && spawnSync(unpacked, [question]).status === 0;
  if (!works() && existsSync("/usr/bin/apt-get")) fetchFromDebian(name);
  return works() ? unpacked : "";
}

/** @param {string} name of a package */
function fetchFromDebian(name) {
  process.stderr.write(`Fetching ${name} from the system's packages …\n`);
  const cwd = join(folder, name);
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd, { recursive: true });
  const run = (/** @type {string} */ command, /** @type {readonly string[]} */ args) =>
    spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] }).status === 0;
  const isRoot = process.getuid?.() === 0;
  // On a fresh machine the package lists are empty or old. Updating them is slow, so it is done
  // only if the download fails without it.
  if (!run("apt-get", ["download", "-q", name]) && isRoot) {
    run("apt-get", ["update", "-q"]);
    run("apt-get", ["download", "-q", name]);
  }
  const file = readdirSync(cwd).find((each) => each.endsWith(".deb"));
  if (file !== undefined) run("dpkg-deb", ["-x", file, "."]);
}
