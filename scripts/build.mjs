/**
 * Bundles the server together with the built console. `npm start` and the tests run the bundle in
 * `dist/server/`. `npm run build` runs this file, which makes one executable, `dist/tollgate`, from
 * the same entries.
 *
 * Both keep the layout of `server/src/`: `main`, `workers/<name>.worker` and, beside them, `web/` and
 * the code that several of these share or that is loaded on first use. See
 * docs/decisions/2026-11-21-three-ways-to-run.md and 2026-11-28-memory.md.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { builtWeb, ensureWeb, webFingerprint } from "./build-web.mjs";
import { bunBinary, isStarted, root } from "./bun.mjs";
import { runChild } from "./child.mjs";
import { fingerprint } from "./files.mjs";
import { ensureInstalled } from "./install.mjs";

const sourceFolder = join(root, "server/src");
const bundleFolder = join(root, "dist/server");

/** The entry of the built server. */
export const bundledServer = join(bundleFolder, "main.js");

/** The executable that `npm run build` makes. */
const executable = join(root, process.platform === "win32" ? "dist/tollgate.exe" : "dist/tollgate");

/**
 * Bundles the server and builds the console, unless both were built from the same sources before.
 * The server takes about 0.2 s, the console some seconds.
 */
export async function ensureBundle() {
  await ensureWeb();
  await ensureBuilt(bundledServer, join(bundleFolder, ".built-from"), async () => {
    // The build goes to another folder, which is then moved, so that an interrupted build never
    // counts as done.
    const fresh = `${bundleFolder}-${process.pid}`;
    await runBuild(["--target=bun", "--minify", "--sourcemap=linked", "--outdir", fresh]);
    // Leaves out the stamp and the list of chunks, which the server must not offer.
    const isServed = (/** @type {string} */ path) => !/\/\.[^/]+$/.test(path);
    cpSync(builtWeb, join(fresh, "web"), { recursive: true, filter: isServed });
    rmSync(bundleFolder, { recursive: true, force: true });
    renameSync(fresh, bundleFolder);
  });
}

/**
 * Makes the executable unless it is up to date: one file with Bun, server, workers and web files.
 */
export async function ensureExecutable() {
  await ensureBundle();
  await ensureBuilt(executable, `${executable}.built-from`, async () => {
    // Built in a folder that is removed afterwards, because Bun also leaves the source maps there,
    // which the executable contains.
    const folder = `${bundleFolder}-${process.pid}`;
    await runBuild([
      "--compile",
      // Compiled ahead, so that no thread parses the code and keeps what that takes.
      "--bytecode",
      "--format=esm",
      "--minify",
      "--sourcemap=inline",
      // Settings come from the environment only, never from files of the working folder.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      "--asset",
      join(bundleFolder, "web"),
      "--outfile",
      join(folder, basename(executable)),
    ]);
    renameSync(join(folder, basename(executable)), executable);
    rmSync(folder, { recursive: true });
  });
}

/**
 * Builds the product, unless its stamp says that it was made from the present sources.
 *
 * @param {string} product file that the build makes
 * @param {string} stamp file that says what the present one was made from
 * @param {() => Promise<void>} build
 */
async function ensureBuilt(product, stamp, build) {
  const wanted = serverFingerprint();
  const isBuilt = existsSync(product) && existsSync(stamp);
  if (isBuilt && readFileSync(stamp, "utf8") === wanted) return;
  await build();
  writeFileSync(stamp, wanted);
}

/**
 * Runs `bun build` on the server's entries. Throws if it fails.
 *
 * @param {readonly string[]} options
 */
async function runBuild(options) {
  mkdirSync(join(root, "dist"), { recursive: true });
  // Workers are named as entries too, because the executable would lack them otherwise.
  const entries = ["server/src/main.ts", ...workerEntries()];
  const { code } = await runChild(
    bunBinary(),
    // Code that is imported on first use gets a file of its own, so that no thread reads it before.
    ["build", ...entries, "--root", "server/src", "--splitting", ...options],
    { cwd: root, stdio: ["ignore", "ignore", 2] },
  );
  if (code !== 0) throw new Error("The server could not be bundled.");
}

function workerEntries() {
  const folder = join(sourceFolder, "workers");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((name) => name.endsWith(".worker.ts"))
    .map((name) => `server/src/workers/${name}`);
}

/**
 * Returns a fingerprint of the sources of the server and the console, which changes when they do.
 */
function serverFingerprint() {
  const own = fingerprint(
    ["contract/src", "demo/src", "server/src"],
    ["server/package.json", "scripts/build.mjs"],
  );
  return own + webFingerprint();
}

if (isStarted(import.meta.url)) {
  await ensureInstalled();
  await ensureExecutable();
  const megabytes = Math.round(statSync(executable).size / 1_000_000);
  process.stdout.write(`${relative(process.cwd(), executable)} (${megabytes} MB)\n`);
}
