/** Runs `npm ci` when `node_modules` differs from the lock file. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bunBinary, root } from "./bun.mjs";
import { runChild } from "./child.mjs";

const marker = join(root, "node_modules/.tollgate-installed");

/**
 * Installs the packages unless they are installed. Ends the process when npm fails; npm has said
 * why.
 */
export async function ensureInstalled() {
  const wanted = fingerprint();
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return;
  if (isInstalled(root) && hasBun()) {
    writeFileSync(marker, wanted);
    return;
  }
  process.stderr.write("Installing what package-lock.json names …\n");
  void tellIfOffline();
  // `--include=dev` below is for NODE_ENV=production, with which npm would leave out Bun itself.
  const { command, args } = npm();
  const { code } = await runChild(
    command,
    [...args, "ci", "--ignore-scripts", "--include=dev", "--include=optional", "--loglevel=error"],
    // npm's count of packages must not appear in the standard output of `npm test`.
    { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" },
  );
  if (code !== 0) {
    process.stderr.write("npm ci failed; nothing was started.\n");
    process.exit(code ?? 1);
  }
  writeFileSync(marker, wanted);
}

/** How long the registry may take to answer before a silent npm is explained, in milliseconds. */
const registryMs = 6_000;

/**
 * Says that the registry of packages cannot be reached, because npm itself tries for minutes without
 * a word. Behind a proxy only npm knows the way.
 */
async function tellIfOffline() {
  const { env } = process;
  const proxies = ["proxy", "https_proxy", "noproxy"].map((name) => env[`npm_config_${name}`]);
  if ([...proxies, env["HTTPS_PROXY"], env["https_proxy"]].some(Boolean)) return;
  const registry = env["npm_config_registry"] || "https://registry.npmjs.org/";
  try {
    await fetch(registry, { method: "HEAD", signal: AbortSignal.timeout(registryMs) });
  } catch {
    process.stderr.write(
      `The registry of packages (${registry}) cannot be reached. The first start needs it once, unless ` +
        "npm's cache has all packages: connect this machine, or copy node_modules from one that is.\n",
    );
  }
}

/**
 * Whether the `node_modules` of a folder matches its lock file, by npm's own list of what it
 * installed. So nothing is installed again after an `npm ci` by hand.
 *
 * @param {string} folder
 */
export function isInstalled(folder) {
  const wanted = packagesOf(join(folder, "package-lock.json"));
  const found = packagesOf(join(folder, "node_modules/.package-lock.json"));
  if (wanted === null || found === null) return false;
  // The entry of the project itself, which npm's list of installed packages lacks.
  delete wanted[""];
  const isMissing = Object.entries(wanted).some(
    ([path, { optional }]) => found[path] === undefined && optional !== true,
  );
  return (
    !isMissing &&
    Object.entries(found).every(([path, entry]) => {
      const locked = wanted[path];
      const isSame = entry.version === locked?.version && entry.integrity === locked?.integrity;
      return locked !== undefined && isSame && existsSync(join(folder, path));
    })
  );
}

/**
 * @typedef {{ readonly version?: string, readonly integrity?: string, readonly optional?: boolean }} LockEntry
 */

/**
 * Reads the packages that a lock file lists.
 *
 * @param {string} file
 * @returns {Record<string, LockEntry> | null} by path; null: the file is not there, or no lock file
 */
function packagesOf(file) {
  try {
    const lock = /** @type {{ packages?: Record<string, LockEntry> }} */ (
      JSON.parse(readFileSync(file, "utf8"))
    );
    return lock.packages ?? null;
  } catch {
    return null;
  }
}

/**
 * Whether Bun is installed. It is an optional package, one for each platform, which `npm ci
 * --omit=optional` leaves out.
 */
function hasBun() {
  try {
    bunBinary();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a text that changes with the lock file and with the kind of machine, because a
 * `node_modules` from another kind of machine holds the wrong binaries.
 */
function fingerprint() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.platform} ${process.arch}\n`;
}

/**
 * Returns the command that runs the npm which started this process, so that no npm has to be on the
 * PATH.
 */
function npm() {
  const cli = process.env["npm_execpath"] ?? "";
  return cli.endsWith("npm-cli.js")
    ? { command: process.execPath, args: [cli] }
    : { command: "npm", args: [] };
}
