/** Finds the Bun that npm installed, and runs it: `node scripts/bun.mjs <arguments of bun>`. */

import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endLike, runChild } from "./child.mjs";

/** The top folder of the clone. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Whether a script was started by itself, and not imported by another.
 *
 * @param {string} url its `import.meta.url`
 */
export function isStarted(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
}

/**
 * Returns the path of the Bun binary. Install scripts are off, so `node_modules/.bin/bun` is a
 * placeholder that only prints an error; the binary lies in the package of this platform.
 *
 * @returns {string}
 */
export function bunBinary() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  const file = process.platform === "win32" ? "bun.exe" : "bun";
  const names = ["", "-baseline", "-musl", "-musl-baseline"]
    .map((ending) => `bun-${system}-${cpu}${ending}`)
    .filter((name) => existsSync(join(root, "node_modules/@oven", name, "bin", file)));
  // npm installs only the package of Bun that fits the machine. An older npm does not check the C
  // library, so it may install two.
  const name =
    names.length > 1 && isMusl() ? names.find((each) => each.includes("musl")) : names[0];
  if (name !== undefined) return join(root, "node_modules/@oven", name, "bin", file);
  throw new Error(
    `There is no Bun for ${system} on ${cpu} in node_modules/@oven. ` +
      "Optional dependencies must not be left out: npm ci --include=optional",
  );
}

/** Whether the C library is musl: Node's report names the version of glibc, and none on musl. */
function isMusl() {
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return report.header?.glibcVersionRuntime === undefined;
}

/**
 * Returns the environment with this Bun first on the PATH, so that `bun` in a command means the
 * pinned one.
 *
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentWithBun() {
  return { ...process.env, PATH: dirname(bunBinary()) + delimiter + (process.env["PATH"] ?? "") };
}

if (isStarted(import.meta.url)) {
  endLike(
    await runChild(bunBinary(), process.argv.slice(2), { cwd: root, env: environmentWithBun() }),
  );
}
