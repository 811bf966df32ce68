/**
 * Lays out the root file system of the image: `node scripts/release/image.mjs <folder>`. It has the
 * executable with the libraries that it loads, certificates, time zones and one user; no shell.
 */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { root } from "#scripts/bun.mjs";

/** The user that the image runs as. */
const userId = 10_001;
const dataFolder = "var/lib/tollgate";

/** Files and folders that the image has of the machine that builds it. */
const certificates = "/etc/ssl/certs/ca-certificates.crt";
const zones = "/usr/share/zoneinfo";

/**
 * Lays out the file system. Only root can give its data folder to the image's user.
 *
 * @param {string} folder which must not exist, or be empty
 * @param {string} executable
 */
function layOut(folder, executable) {
  const program = join(folder, "usr/local/bin/tollgate");
  put(executable, program);
  chmodSync(program, 0o755);
  for (const library of librariesOf(executable)) put(realpathSync(library), join(folder, library));
  if (!existsSync(certificates)) throw new Error(`${certificates} is missing: ca-certificates`);
  put(certificates, join(folder, certificates));
  if (existsSync(zones)) cpSync(zones, join(folder, zones), { recursive: true, dereference: true });
  const etc = join(folder, "etc");
  writeFileSync(join(etc, "passwd"), `tollgate:x:${userId}:${userId}::/${dataFolder}:/nologin\n`);
  writeFileSync(join(etc, "group"), `tollgate:x:${userId}:\n`);
  writeFileSync(join(etc, "nsswitch.conf"), "hosts: files dns\n");
  for (const [name, mode] of /** @type {const} */ ([
    [dataFolder, 0o700],
    ["tmp", 0o1777],
  ])) {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    chmodSync(path, mode);
    if (name === dataFolder) chownSync(path, userId, userId);
  }
}

/**
 * @param {string} from
 * @param {string} to
 */
function put(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Libraries that are loaded for names of hosts, and are not named in the executable. */
const loadedLater = ["libresolv.so.2", "libnss_files.so.2", "libnss_dns.so.2"];

/**
 * Returns the paths of the libraries that an executable loads, by the loader itself.
 *
 * @param {string} executable
 */
function librariesOf(executable) {
  const { stdout, status } = spawnSync("ldd", [executable], { encoding: "utf8" });
  if (status !== 0) throw new Error(`ldd ${executable} failed.`);
  const found = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
  const folder = dirname(found.find((path) => path.includes("libc.so")) ?? "/lib/x");
  const later = loadedLater.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return [...new Set([...found, ...later])];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("node scripts/release/image.mjs <folder>\n");
  process.exit(2);
}
layOut(resolve(folder), join(root, "dist/tollgate"));
