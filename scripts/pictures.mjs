/**
 * `npm run pictures` takes the screenshots in `docs/screens/`, with lively data.
 *
 * `-- --changes` compares the console with that of another commit instead (`--since <commit>`), and
 * writes `docs/changes/`. Other arguments go to Playwright.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./bun.mjs";
import { ensureExecutable } from "./build.mjs";
import { runTool } from "./checks.mjs";
import { endLike, endWithNpm, runChild } from "./child.mjs";
import { chromiumProgram } from "./programs/chromium.mjs";
import { ensureInstalled } from "./install.mjs";
import { commitOf, withCommit } from "./other-commit.mjs";

/** The last version before the console's orientation and room were worked on. */
const sinceDefault = "da897f2";

const { values } = parseArgs({
  options: { changes: { type: "boolean" }, since: { type: "string", default: sinceDefault } },
  strict: false,
});

endWithNpm();
try {
  endLike(values.changes === true ? await compare(String(values.since)) : await takePictures());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function takePictures() {
  await ensureInstalled();
  await ensureExecutable();
  return await run("e2e/pictures.config.ts", process.argv.slice(2), {});
}

/**
 * Builds another commit, takes the same pictures of it and of the working tree, and writes the page
 * that shows them side by side.
 *
 * @param {string} revision
 */
async function compare(revision) {
  const commit = commitOf(revision);
  await ensureInstalled();
  await ensureExecutable();
  process.stderr.write(`Building ${commit.slice(0, 12)} …\n`);
  const own = ["--changes", "--since", revision, `--since=${revision}`];
  const rest = process.argv.slice(2).filter((argument) => !own.includes(argument));
  const result = await withCommit(
    commit,
    async (folder) =>
      await run("e2e/changes.config.ts", rest, {
        TOLLGATE_BEFORE_FOLDER: folder,
        TOLLGATE_BEFORE_NAME: nameOf(commit),
      }),
  );
  await runTool("oxfmt", ["docs/changes/README.md"]);
  return result;
}

/**
 * Names a commit by its date and the beginning of its hash.
 *
 * @param {string} commit
 */
function nameOf(commit) {
  const args = ["log", "-1", "--format=the version of %cs (commit %h)", commit];
  return spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
}

/**
 * Runs Playwright with a configuration.
 *
 * @param {string} config
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} environment
 */
async function run(config, args, environment) {
  return await runChild(
    process.execPath,
    [join(root, "node_modules/@playwright/test/cli.js"), "test", "--config", config, ...args],
    {
      cwd: root,
      env: { ...process.env, ...environment, TOLLGATE_TEST_CHROMIUM: chromiumProgram() },
    },
  );
}
