/**
 * `npm run bench` measures what a call through the product costs, beside nginx and the bare
 * upstream, and writes `docs/performance.md` with its chart. `-- --quick` takes two minutes and writes to
 * `data/bench/`; `-- --case <name>` runs one part; `-- --rows 1000000` shortens the long log.
 *
 * `-- --console` times first visits to the console instead, and writes `docs/console-speed.md`.
 *
 * `-- --keys` measures start and memory with many API keys, see `bench/keys.ts`.
 *
 * `-- --database postgres` measures calls on PostgreSQL, and counts their statements and round trips:
 * `docs/postgresql-speed.md`; with `--case logs` it measures the long log there.
 *
 * `-- --against <commit>` compares the working tree with a commit, in interleaved pairs, and fails
 * when the working tree is slower by more than `--limit` (5 %); `--case` and `--database` choose
 * what is compared. See `bench/against/main.ts`.
 */

import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { ensureExecutable, executable } from "./build.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { chromiumProgram } from "./programs/chromium.mjs";
import { ensureInstalled } from "./install.mjs";
import { nginxProgram } from "./reverse-proxies.mjs";
import { commitOf, withCommit } from "./other-commit.mjs";
import { withPostgres } from "./postgres.mjs";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    console: { type: "boolean" },
    keys: { type: "boolean" },
    database: { type: "string" },
  },
  strict: false,
});

endWithNpm();
if (process.platform !== "linux") {
  process.stderr.write("The benchmark reads CPU times from /proc, which only Linux has.\n");
  process.exit(1);
}
try {
  if (values.console === true) endLike(await timeConsole());
  else if (values.keys === true) endLike(await measureKeys());
  else if (values.against === undefined) endLike(await measure());
  else endLike(await compare(String(values.against)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function measure() {
  await ensureInstalled();
  await ensureExecutable();
  if (values.database !== "postgres") return await run("bench/main.ts", []);
  return await withPostgres(
    async (url) => {
      process.env["TOLLGATE_TEST_POSTGRES"] = url;
      const isCase = process.argv.some((text) => text.startsWith("--case"));
      return await run(isCase ? "bench/main.ts" : "bench/postgres/main.ts", []);
    },
    { syncs: true },
  );
}

/** Starts with many API keys, on both databases. */
async function measureKeys() {
  await ensureInstalled();
  await ensureExecutable();
  return await withPostgres(
    async (url) => {
      process.env["TOLLGATE_TEST_POSTGRES"] = url;
      return await run("bench/keys.ts", []);
    },
    { syncs: false },
  );
}

async function timeConsole() {
  await ensureInstalled();
  await ensureExecutable();
  return await runChild(
    process.execPath,
    [
      join(root, "node_modules/@playwright/test/cli.js"),
      "test",
      "--config",
      "e2e/timings.config.ts",
    ],
    { cwd: root, env: { ...process.env, TOLLGATE_TEST_CHROMIUM: chromiumProgram() } },
  );
}

/**
 * Builds another commit and runs the benchmark that compares it with the working tree.
 *
 * @param {string} revision
 */
async function compare(revision) {
  const commit = commitOf(revision);
  await ensureInstalled();
  await ensureExecutable();
  process.stderr.write(`Building ${commit.slice(0, 12)} …\n`);
  return await withCommit(commit, async (folder) => {
    const other = `--other-build=${join(folder, relative(root, executable))}`;
    const measureBoth = async () => await run("bench/against/main.ts", [other]);
    if (values.database !== "postgres") return await measureBoth();
    return await withPostgres(
      async (url) => {
        process.env["TOLLGATE_TEST_POSTGRES"] = url;
        return await measureBoth();
      },
      { syncs: true },
    );
  });
}

/**
 * Runs a program of the benchmark under Bun. If nginx is installed, the program gets its path, to
 * measure it beside the product.
 *
 * @param {string} program
 * @param {readonly string[]} args before those of the command line
 */
async function run(program, args) {
  const nginx = nginxProgram();
  return await runChild(
    bunBinary(),
    [
      "--no-env-file",
      "--no-orphans",
      program,
      ...args,
      ...(nginx === "" ? [] : ["--nginx", nginx]),
      ...process.argv.slice(2),
    ],
    { cwd: root, env: environmentWithBun(), ...apart },
  );
}
