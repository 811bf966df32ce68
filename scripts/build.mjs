/**
 * Bundles the server. `npm start` and the tests run the bundle in `dist/server/`; `npm run build`
 * (this file run by itself) makes the one executable `dist/tollgate` of the same entries.
 *
 * Both keep the places of `server/src/`: `main`, `workers/<name>.worker` and `web/` beside it. See
 * docs/decisions/2026-11-21-three-ways-to-run.md.
 */

import { createHash } from "node:crypto";
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
import { fileURLToPath } from "node:url";
import { bunBinary, isStarted, root } from "./bun.mjs";
import { runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";
import { listFiles } from "./list-files.mjs";

const sourceFolder = join(root, "server/src");
const bundleFolder = join(root, "dist/server");
const webFolder = join(root, "web/public");

/** What the server is started from once built. */
export const bundledServer = join(bundleFolder, "main.js");

/** The executable that `npm run build` makes. */
export const executable = join(
  root,
  process.platform === "win32" ? "dist/tollgate.exe" : "dist/tollgate",
);

/** Bundles the server, unless the bundle is of these very sources. About 0.2 s when it works. */
export async function ensureBundle() {
  await ensureBuilt(bundledServer, join(bundleFolder, ".built-from"), async () => {
    // Built beside and moved, so that an interrupted build is never taken for one.
    const fresh = `${bundleFolder}-${process.pid}`;
    await runBuild(["--target=bun", "--sourcemap=linked", "--outdir", fresh]);
    if (existsSync(webFolder)) cpSync(webFolder, join(fresh, "web"), { recursive: true });
    rmSync(bundleFolder, { recursive: true, force: true });
    renameSync(fresh, bundleFolder);
  });
}

/** Makes the executable, unless made: Bun, the server, its workers and the web files in one file. */
export async function ensureExecutable() {
  await ensureBundle();
  await ensureBuilt(executable, `${executable}.built-from`, async () => {
    const web = join(bundleFolder, "web");
    // Bun leaves the source maps, which are inside as well, beside the executable.
    const folder = `${bundleFolder}-${process.pid}`;
    await runBuild([
      "--compile",
      "--minify",
      "--sourcemap=inline",
      // Settings come from the environment alone, never from files of the folder it starts in.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      ...(existsSync(web) ? ["--asset", web] : []),
      "--outfile",
      join(folder, basename(executable)),
    ]);
    renameSync(join(folder, basename(executable)), executable);
    rmSync(folder, { recursive: true });
  });
}

/**
 * @param {string} product file that the build makes
 * @param {string} stamp file that says what the present one was made from
 * @param {() => Promise<void>} build
 */
async function ensureBuilt(product, stamp, build) {
  const wanted = fingerprint();
  const isBuilt = existsSync(product) && existsSync(stamp);
  if (isBuilt && readFileSync(stamp, "utf8") === wanted) return;
  await build();
  writeFileSync(stamp, wanted);
}

/**
 * @param {readonly string[]} options
 */
async function runBuild(options) {
  mkdirSync(join(root, "dist"), { recursive: true });
  // A worker that is not named as an entry is missing from the executable.
  const entries = ["server/src/main.ts", ...workerEntries()];
  const { code } = await runChild(
    bunBinary(),
    ["build", ...entries, "--root", "server/src", ...options],
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

/** Sizes and times of everything a build reads; a hash of 500 files' contents would take longer. */
function fingerprint() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const path of [
    join(root, "package-lock.json"),
    join(root, "server/package.json"),
    fileURLToPath(import.meta.url),
    ...[join(root, "contract/src"), sourceFolder, webFolder]
      .flatMap(listFiles)
      .filter((path) => !path.endsWith(".test.ts")),
  ]) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return `${hash.digest("hex")}\n`;
}

if (isStarted(import.meta.url)) {
  await ensureInstalled();
  await ensureExecutable();
  const megabytes = Math.round(statSync(executable).size / 1_000_000);
  process.stdout.write(`${relative(process.cwd(), executable)} (${megabytes} MB)\n`);
}
