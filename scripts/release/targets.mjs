/** The platforms that executables are built for, and the runtimes that npm has for them. */

import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "#scripts/bun.mjs";
import { runChild } from "#scripts/child.mjs";

/** By target the package of Bun, and the target that Bun's bundler knows it by. */
export const targets = /** @type {const} */ ({
  "darwin-arm64": { package: "bun-darwin-aarch64", bun: "bun-darwin-arm64" },
  "darwin-x64": { package: "bun-darwin-x64", bun: "bun-darwin-x64" },
  "linux-arm64": { package: "bun-linux-aarch64", bun: "bun-linux-arm64" },
  "linux-arm64-musl": { package: "bun-linux-aarch64-musl", bun: "bun-linux-arm64-musl" },
  "linux-x64": { package: "bun-linux-x64", bun: "bun-linux-x64" },
  "linux-x64-musl": { package: "bun-linux-x64-musl", bun: "bun-linux-x64-musl" },
  "windows-x64": { package: "bun-windows-x64", bun: "bun-windows-x64" },
});

/** @typedef {keyof typeof targets} Target */

/**
 * Whether a text names a target.
 *
 * @param {string} name
 * @returns {name is Target}
 */
export function isTarget(name) {
  return Object.hasOwn(targets, name);
}

/** Reads the lock file. */
export function lockedPackages() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return /** @type {Record<string, { version: string, integrity?: string }>} */ (lock.packages);
}

/**
 * Returns the path of the Bun that runs on a target. What is not there is fetched from npm, as the
 * lock file pins it, and checked by the lock file's hash.
 *
 * @param {Target} target
 */
export async function runtimeOf(target) {
  const { package: name } = targets[target];
  const file = target.startsWith("windows") ? "bun.exe" : "bun";
  const installed = join(root, "node_modules/@oven", name, "bin", file);
  if (existsSync(installed)) return installed;
  const locked = lockedPackages()[`node_modules/@oven/${name}`];
  if (locked?.integrity === undefined) {
    throw new Error(`The lock file does not name @oven/${name}.`);
  }
  const folder = join(root, ".cache/runtimes", `${name}-${locked.version}`);
  const found = join(folder, "package/bin", file);
  if (existsSync(found)) return found;
  const fresh = `${folder}.part-${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    await run("npm", ["pack", "--silent", `@oven/${name}@${locked.version}`], fresh);
    const packed = join(fresh, `oven-${name}-${locked.version}.tgz`);
    const [kind = "", hash] = locked.integrity.split("-");
    if (createHash(kind).update(readFileSync(packed)).digest("base64") !== hash) {
      throw new Error(`@oven/${name}@${locked.version} is not what the lock file names.`);
    }
    await run("tar", ["-xzf", packed], fresh);
    rmSync(packed);
    chmodSync(join(fresh, "package/bin", file), 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return found;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
async function run(command, args, cwd) {
  const shell = process.platform === "win32";
  const { code } = await runChild(command, args, { cwd, stdio: ["ignore", "ignore", 2], shell });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}
