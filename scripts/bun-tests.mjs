/** Runs test files with `bun test`, and counts the tests by its report. */

import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { runChild } from "./child.mjs";
import { lastLines, readTestReport } from "./failures.mjs";
import { listFiles } from "./files.mjs";

/**
 * How long a test may take, so that one that hangs is ended. Long, because a slow machine takes
 * long over a healthy test.
 */
const testMaxMs = 400_000;

/** How much of the end of the output is kept, for a run that leaves no report. */
const outputMaxChars = 20_000;

/** How many test files that reported no result are run again, to learn why. */
const askedAgainMax = 5;

/**
 * @typedef {object} Run
 * @property {readonly string[]} paths of files and folders
 * @property {number} workers files that run side by side
 * @property {boolean} shares whether the files that a worker runs share their globals, such as the
 *   document of a page, and what they load
 * @property {readonly string[]} flags more of them, for `bun test`
 * @property {NodeJS.ProcessEnv} env added to the environment
 */

/**
 * Runs tests with `bun test` and counts them by its report.
 *
 * @param {Run} run
 * @param {(text: string) => void} say
 * @returns {Promise<import("./failures.mjs").Tally & { readonly interrupted: boolean }>}
 */
export async function runTests(run, say) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-tests-"));
  const reportFile = join(folder, "report.xml");
  try {
    const { ending, output } = await runBun(
      run,
      ["--reporter=junit", `--reporter-outfile=${reportFile}`, ...run.flags],
      say,
    );
    const interrupted =
      ending.signal === "SIGINT" || ending.signal === "SIGTERM" || ending.code === 130;
    const report = readTestReport(reportFile, root);
    if (report === null || interrupted) {
      return { passed: 0, failed: 1, failures: [lastLines(output)], interrupted };
    }
    const { passed, failures, files } = report;
    const isGood = ending.code === 0 && passed > 0;
    const silent = isGood ? [] : testFiles(run.paths).filter((file) => !files.has(file));
    const all = [...failures, ...(await silentFailures(run, silent))];
    // If a run failed without a failure in its report, or ran no test, the end of its output says
    // why.
    const told = all.length > 0 || isGood ? all : [lastLines(output)];
    const failedFiles = [...report.failedFiles, ...silent];
    return { passed, failed: told.length, failures: told, failedFiles, interrupted };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the failures of test files that the report leaves out because they could not be loaded.
 * Each of them runs again by itself, because in the output of the whole run its error message is
 * hard to find.
 *
 * @param {Run} run
 * @param {readonly string[]} silent
 * @returns {Promise<string[]>}
 */
async function silentFailures(run, silent) {
  const failures = [];
  for (const [index, file] of silent.entries()) {
    const title = `${relative(root, file)}: no test of this file ran`;
    if (index < askedAgainMax) {
      const again = { ...run, paths: [file], workers: 1, shares: false };
      const { output } = await runBun(again, [], () => {});
      failures.push(`${title}\n${lastLines(output)}`);
    } else {
      failures.push(title);
    }
  }
  return failures;
}

/**
 * Lists the test files that paths name.
 *
 * @param {readonly string[]} paths
 * @returns {string[]} the test files among them and in them; none for a path without tests
 */
export function testFiles(paths) {
  return paths
    .map((path) => resolve(root, path))
    .flatMap((path) => {
      const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
      return isFile ? [path] : listFiles(path);
    })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => realpathSync(file));
}

/**
 * Runs `bun test`, and keeps the end of its output.
 *
 * @param {Run} run
 * @param {readonly string[]} flags
 * @param {(text: string) => void} say
 */
async function runBun({ paths, workers, shares, env }, flags, say) {
  let output = "";
  const hear = (/** @type {string} */ text) => {
    say(text);
    output = (output + text).slice(-outputMaxChars);
  };
  const ending = await runChild(
    bunBinary(),
    [
      "test",
      "--no-env-file",
      "--no-orphans",
      `--timeout=${testMaxMs}`,
      ...(workers > 1 ? [`--parallel=${workers}`] : []),
      shares ? "--no-isolate" : "--isolate",
      ...flags,
      ...paths,
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...environmentWithBun(),
        ...env,
        ...(process.stderr.isTTY ? { FORCE_COLOR: "1" } : {}),
      },
    },
    (child) => {
      child.stdout?.setEncoding("utf8").on("data", hear);
      child.stderr?.setEncoding("utf8").on("data", hear);
    },
  );
  return { ending, output };
}
