/**
 * Builds the product: one executable, `dist/tollgate`, with Bun, the server and the built console.
 * `npm start` and the tests run it, and `npm run build` runs this file.
 *
 * It keeps the layout of `server/src/`: `main`, `workers/<name>.worker` and, beside them, `web/` and
 * the code that several of these share or that is loaded on first use. See
 * docs/decisions/2026-11-21-three-ways-to-run.md and 2026-11-28-memory.md.
 */

import { spawnSync } from "node:child_process";
import {
  existsSync,
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

/** The product as users and tests run it. */
export const executable = join(
  root,
  process.platform === "win32" ? "dist/tollgate.exe" : "dist/tollgate",
);

/**
 * Builds the executable and the console in it, unless they were built from the same sources before.
 */
export async function ensureExecutable() {
  await ensureWeb();
  const stamp = `${executable}.built-from`;
  const wanted = serverFingerprint();
  const isBuilt = existsSync(executable) && existsSync(stamp);
  if (isBuilt && readFileSync(stamp, "utf8") === wanted) return;
  // Built in a folder that is removed afterwards: an interrupted build never counts as done, and Bun
  // also leaves the source maps there, which the executable contains.
  const folder = join(root, `dist/server-${process.pid}`);
  const fresh = join(folder, basename(executable));
  await compile(fresh, root);
  renameSync(fresh, executable);
  rmSync(folder, { recursive: true });
  writeFileSync(stamp, wanted);
}

/**
 * Compiles the server of a tree, and the console that is built there, into one file. Throws if that
 * fails.
 *
 * @param {string} outfile
 * @param {string} tree
 * @param {{ runtime: string, target: string } | null} other the Bun of another platform
 */
export async function compile(outfile, tree, other = null) {
  // Workers are named as entries too, because the executable would lack them otherwise.
  const entries = ["server/src/main.ts", ...workerEntries()];
  const { code } = await runChild(
    bunBinary(),
    [
      "build",
      ...entries,
      "--root",
      "server/src",
      "--compile",
      // Code that is imported on first use gets a file of its own, so that no thread reads it before.
      "--splitting",
      // Compiled ahead, so that no thread parses the code and keeps what that takes.
      "--bytecode",
      "--format=esm",
      "--minify",
      "--sourcemap=inline",
      "--define",
      `BUILD_COMMIT=${JSON.stringify(buildCommit())}`,
      // Settings come from the environment only, never from files of the working folder.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      "--asset",
      join(tree, relative(root, builtWeb)),
      ...(other === null
        ? []
        : ["--target", other.target, "--compile-executable-path", other.runtime]),
      "--outfile",
      outfile,
    ],
    { cwd: tree, stdio: ["ignore", "ignore", 2] },
  );
  if (code !== 0) throw new Error("The server could not be built.");
}

/** The folders and files that the executable is made from. */
const sources = ["contract/src", "demo/src", "server/src", "web", "package-lock.json"];

/**
 * Returns the commit that last changed what the executable is made from, with `+` if files differ
 * from it; empty outside of a git repository.
 */
function buildCommit() {
  const ask = (/** @type {string[]} */ ...args) =>
    spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";
  const last = ask("log", "-1", "--format=%h", "--abbrev=8", "--", ...sources);
  return last === "" || ask("status", "--porcelain", "--", ...sources) === "" ? last : `${last}+`;
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
  return own + webFingerprint() + buildCommit();
}

if (isStarted(import.meta.url)) {
  await ensureInstalled();
  const [flag, asked] = process.argv.slice(2);
  if (flag === "--target" && asked !== undefined) {
    const { buildTargets } = await import("./release/artefacts.mjs");
    await buildTargets(asked, { commit: buildCommit(), compile });
  } else {
    await ensureExecutable();
    const megabytes = Math.round(statSync(executable).size / 1_000_000);
    process.stdout.write(`${relative(process.cwd(), executable)} (${megabytes} MB)\n`);
  }
}
