/** Runs what failed once more, and counts again. */

/** @typedef {import("./failures.mjs").Tally} Tally */

/**
 * How many failures may run again. More of them are no accident of a busy machine, and would take
 * as long again.
 */
const failuresMax = 15;

/**
 * @typedef {object} SecondRun
 * @property {(files: readonly string[]) => Promise<Tally>} files runs test files
 * @property {() => Promise<Tally>} journeys runs the journeys that failed last
 */

/**
 * Whether something failed that can run again, and not so much that it is no accident.
 *
 * @param {readonly Tally[]} first
 */
export function mayRunAgain(first) {
  const failed = first.reduce((sum, tally) => sum + tally.failed, 0);
  return first.some(canRunAgain) && failed <= failuresMax;
}

/**
 * Runs the failed files and journeys again. A build or a check is not run again.
 *
 * @param {readonly Tally[]} first
 * @param {SecondRun} run
 * @returns {Promise<{ tallies: readonly Tally[], unsteady: readonly string[] }>} the tallies as they
 *   count in the end, and what failed at first only
 */
export async function withSecondRun(first, { files, journeys }) {
  const tallies = [];
  const unsteady = [];
  for (const tally of first) {
    if (!canRunAgain(tally)) {
      tallies.push(tally);
      continue;
    }
    const { failures = [], failedFiles = [] } = tally;
    const second = tally.isOfJourneys ? await journeys() : await files(failedFiles);
    const failed = Math.min(second.failed, tally.failed);
    // The second run may fail as a whole: then what the first one said counts.
    const still = second.failures?.length ? second.failures : failures;
    tallies.push({
      passed: tally.passed + tally.failed - failed,
      failed,
      failures: failed === 0 ? [] : still,
    });
    const stillFailed = new Set((failed === 0 ? [] : still).map(titleOf));
    unsteady.push(...failures.filter((failure) => !stillFailed.has(titleOf(failure))));
  }
  return { tallies, unsteady };
}

/**
 * Returns the first line of a failure, which has its place and its name.
 *
 * @param {string} failure
 */
function titleOf(failure) {
  return failure.split("\n", 1)[0];
}

/** @param {Tally} tally */
function canRunAgain({ failed, failedFiles = [], isOfJourneys = false }) {
  return failed > 0 && (isOfJourneys || failedFiles.length > 0);
}
