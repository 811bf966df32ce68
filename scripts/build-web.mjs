/** Builds the console into `dist/web/`, with compressed copies of the files that browsers load. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { runChild } from "./child.mjs";
import { fingerprint, listFiles } from "./files.mjs";

/** Folder of the built console, from which the executable takes it. */
export const builtWeb = join(root, "dist/web");

/** File types that get compressed copies; images are compressed already. */
const texts = new Set([".css", ".html", ".js", ".json", ".svg", ".txt"]);

/**
 * The smallest file that is compressed, in bytes. A smaller one would save less than the header
 * that announces the compression.
 */
const compressBytesMin = 1_024;

/** Brotli level, of 11. The last two levels take ten times as long and save four per cent. */
const brotliQuality = 9;

/** Returns a fingerprint of the console's sources, which changes when they do. */
export function webFingerprint() {
  return fingerprint(
    ["web/src", "web/public", "contract/src"],
    [
      "web/before-paint.js",
      "web/index.html",
      "web/package.json",
      "web/vite.config.ts",
      "web/chunks.ts",
      "scripts/build-web.mjs",
    ],
  );
}

/** Builds the console, unless it was built from the same sources before. */
export async function ensureWeb() {
  const wanted = webFingerprint();
  // The stamp names the sources that the build was made from. It is inside the folder, because a
  // build by hand empties the folder and makes no compressed copies.
  const stamp = join(builtWeb, ".built-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  // The build goes to another folder, which is then moved, so that an interrupted build never
  // counts as done.
  const fresh = `${builtWeb}-${process.pid}`;
  mkdirSync(join(root, "dist"), { recursive: true });
  await runVite(["build", "--logLevel", "warn", "--outDir", fresh, "--emptyOutDir"]);
  await Promise.all(listFiles(fresh).filter(isText).map(compress));
  writeFileSync(join(fresh, ".built-from"), wanted);
  rmSync(builtWeb, { recursive: true, force: true });
  renameSync(fresh, builtWeb);
}

/**
 * Runs Vite in `web/`. Throws if it fails.
 *
 * @param {readonly string[]} args
 */
async function runVite(args) {
  const { code } = await runChild(
    bunBinary(),
    ["--bun", join(root, "node_modules/vite/bin/vite.js"), ...args, "--config", "vite.config.ts"],
    { cwd: join(root, "web"), stdio: ["ignore", 2, 2], env: environmentWithBun() },
  );
  if (code !== 0) throw new Error("The console could not be built.");
}

/**
 * Whether a built file gets compressed copies.
 *
 * @param {string} path
 */
function isText(path) {
  return texts.has(extname(path)) && !path.includes("/.vite/");
}

/**
 * Writes a Brotli and a gzip copy of a file beside it, unless the file is small.
 *
 * @param {string} path
 */
async function compress(path) {
  const bytes = await readFile(path);
  if (bytes.length < compressBytesMin) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    promisify(brotliCompress)(bytes, { params }).then((made) => writeFile(`${path}.br`, made)),
    promisify(gzip)(bytes, { level: 9 }).then((made) => writeFile(`${path}.gz`, made)),
  ]);
}
