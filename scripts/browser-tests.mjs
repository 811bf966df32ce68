/**
 * Runs the browser tests (journeys) in `e2e/` with Playwright, and counts how many pass and fail.
 */

import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./bun.mjs";
import { runChild } from "./child.mjs";
import { chromiumProgram } from "./programs/chromium.mjs";
import { failedJourneys } from "./failures.mjs";
import { nginxProgram } from "./reverse-proxies.mjs";

const run = String(process.pid);

/** `e2e/playwright.config.ts` puts the report, traces and screenshots of a run here. */
const folder = join(root, "dist/e2e", run);

/**
 * Runs the journeys and counts them.
 *
 * @param {readonly string[]} paths of tests; none: all
 * @param {readonly string[]} flags for Playwright
 * @returns {Promise<import("./failures.mjs").Tally>}
 */
export async function runJourneys(paths, flags) {
  process.stderr.write("\n== e2e\n");
  const chromium = chromiumProgram();
  const { code } = await runChild(
    process.execPath,
    [
      join(root, "node_modules/@playwright/test/cli.js"),
      "test",
      "--config",
      "e2e/playwright.config.ts",
      ...flags,
      ...paths.map((path) => relative(join(root, "e2e"), join(root, path)) || "."),
    ],
    {
      cwd: root,
      // The output goes to standard error, because the last line of `npm test` on standard output
      // is the count of tests.
      stdio: ["ignore", 2, 2],
      env: {
        ...process.env,
        TOLLGATE_TEST_CHROMIUM: chromium,
        TOLLGATE_TEST_NGINX: nginxProgram(),
        TOLLGATE_E2E_RUN: run,
      },
    },
  );
  const tally = readReport(code);
  // Removes traces and screenshots unless a journey failed.
  if (tally.failed === 0) rmSync(folder, { recursive: true, force: true });
  return tally;
}

/**
 * Reads Playwright's report of the journeys. A run that failed, or ran nothing, without saying so
 * in its report counts as one failure.
 *
 * @param {number | null} code
 * @returns {import("./failures.mjs").Tally}
 */
function readReport(code) {
  try {
    const report =
      /** @type {import("./failures.mjs").JourneyReport & { stats: { expected: number, unexpected: number, flaky: number } }} */ (
        JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))
      );
    const { stats } = report;
    const failed = stats.unexpected + stats.flaky;
    const isUnsaid = failed === 0 && (code !== 0 || stats.expected === 0);
    return {
      passed: stats.expected,
      failed: isUnsaid ? 1 : failed,
      failures: failedJourneys(report),
      isOfJourneys: true,
    };
  } catch {
    return { passed: 0, failed: 1, failures: ["The journeys left no report."] };
  }
}
