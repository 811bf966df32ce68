/**
 * Collects the failures of a test run, so that they are printed again at its end: one failure is
 * easily lost in the output of thousands of tests. Counts and failures come from the reports of the
 * test runners (JUnit of `bun test`, JSON of Playwright), never from their console output. Decides,
 * too, what runs once more, and counts again.
 */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} [failures] what failed, for people
 * @property {readonly string[]} [failedFiles] absolute paths of the test files in which tests failed
 * @property {boolean} [isOfJourneys] whether journeys in a browser were counted
 */

/** How many lines of a failed test or check are repeated at the end of a run. */
const linesMax = 30;

/**
 * How many failures are repeated in full. A change that breaks everything would fill the screen.
 */
const failuresMax = 20;

const lineMaxChars = 400;

/**
 * Removes the colours of a terminal.
 *
 * @param {string} text
 */
function plain(text) {
  // oxlint-disable-next-line no-control-regex -- colours
  return text.replaceAll(/\u001b\[[\d;]*m/g, "");
}

/**
 * @typedef {object} TestReport what a JUnit report of `bun test` says
 * @property {number} passed
 * @property {readonly string[]} failures each with its file, line, name and message
 * @property {ReadonlySet<string>} files absolute paths of the test files that ran
 * @property {ReadonlySet<string>} failedFiles those of them in which a test failed
 */

/**
 * Reads a JUnit report of `bun test`.
 *
 * @param {string} path of the report
 * @param {string} folder that paths in it are relative to
 * @returns {TestReport | null} null: there is none, because the run ended before it was written
 */
export function readTestReport(path, folder) {
  let xml;
  try {
    xml = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  return parseTestReport(xml, folder);
}

/**
 * Reads a report by regular expressions. That is safe, because Bun escapes `<` and `>` in names and
 * messages.
 *
 * @param {string} xml
 * @param {string} folder
 * @returns {TestReport}
 */
function parseTestReport(xml, folder) {
  /** @type {Set<string>} */
  const files = new Set();
  /** @type {Set<string>} */
  const failedFiles = new Set();
  /** @type {string[]} */
  const failures = [];
  let passed = 0;
  for (const [, head = "", body = ""] of xml.matchAll(
    /<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs,
  )) {
    const { file = "", line, name = "", classname = "" } = attributesOf(head);
    const path = resolve(folder, file);
    // Bun may report a path through a symbolic link; the caller compares real paths.
    const realPath = existsSync(path) ? realpathSync(path) : path;
    files.add(realPath);
    const failure = /<failure\b([^>]*?)(?:\/>|>(.*?)<\/failure>)/s.exec(body);
    if (failure !== null) {
      failedFiles.add(realPath);
      const [, attributes = "", text = ""] = failure;
      const message = text === "" ? (attributesOf(attributes)["message"] ?? "") : unescaped(text);
      // Bun writes the innermost group first in `classname`, so the groups are reversed.
      const names = [...classname.split(" > ").toReversed(), name].filter((each) => each !== "");
      // Bun reports no line for some tests. The stack in the message has the line of the failure.
      const place = line === undefined ? file : `${file}:${line}`;
      failures.push(`${place} ${plain(names.join(" > "))}\n${firstLines(plain(message))}`);
    } else if (!body.includes("<skipped")) {
      passed += 1;
    }
  }
  return { passed, failures, files, failedFiles };
}

/**
 * Reads the attributes of an XML tag.
 *
 * @param {string} text of a tag
 * @returns {Record<string, string>}
 */
function attributesOf(text) {
  const pairs = text.matchAll(/(\w+)="([^"]*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name, unescaped(value)]),
  );
}

/**
 * Replaces the entities of XML by their characters.
 *
 * @param {string} text
 */
function unescaped(text) {
  /** @type {Record<string, string>} */
  const named = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' };
  return text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code === undefined ? (named[name] ?? whole) : String.fromCodePoint(Number(code)),
  );
}

/**
 * @typedef {object} JourneyReport what Playwright's JSON reporter writes, as far as it is read here
 * @property {JourneyReport[]} [suites]
 * @property {{ file: string, line: number, title: string, ok: boolean, tests: {
 *   projectName: string,
 *   results: { errors: { message?: string }[] }[] }[] }[]} [specs]
 */

/**
 * Lists the failed journeys of a Playwright report, each with its file, line, title and errors.
 *
 * @param {JourneyReport} report
 * @returns {string[]}
 */
export function failedJourneys({ suites = [], specs = [] }) {
  const own = specs
    .filter(({ ok }) => !ok)
    .map(({ file, line, title, tests }) =>
      [
        `e2e/${file}:${line} ${title} (${tests.map(({ projectName }) => projectName).join(", ")})`,
        ...tests
          .flatMap(({ results }) => results)
          .flatMap(({ errors }) => errors)
          .map(({ message = "" }) => firstLines(plain(message))),
      ].join("\n"),
    );
  return [...own, ...suites.flatMap(failedJourneys)];
}

/**
 * Returns the first lines of a text, long lines cut.
 *
 * @param {string} text
 */
function firstLines(text) {
  return shortened(text.trimEnd().split("\n").slice(0, linesMax));
}

/**
 * Returns the end of an output, which says what is wrong.
 *
 * @param {string} text
 */
export function lastLines(text) {
  return shortened(plain(text).trimEnd().split("\n").slice(-linesMax));
}

/**
 * Joins lines, each cut to the longest length that is printed.
 *
 * @param {readonly string[]} lines
 */
function shortened(lines) {
  return lines.map((line) => line.slice(0, lineMaxChars)).join("\n");
}

/**
 * Makes the text that a run prints at its end about tests that passed only when they ran again.
 *
 * @param {readonly string[]} unsteady what failed at first
 * @returns {string} nothing where there are none
 */
export function tellUnsteady(unsteady) {
  if (unsteady.length === 0) return "";
  return `\n== failed at first, and passed when it ran again by itself\n${unsteady.join("\n\n")}\n\n`;
}

/**
 * Makes the text that a run prints at its end about its failures.
 *
 * @param {readonly string[]} failures
 * @returns {string} nothing where nothing failed
 */
export function tellFailures(failures) {
  if (failures.length === 0) return "";
  const more = failures.length - failuresMax;
  const told = failures.slice(0, failuresMax).join("\n\n");
  return `\n== what failed\n${told}\n${more > 0 ? `\n… and ${more} more\n` : ""}\n`;
}

/**
 * How many failures may run again. More of them are no accident of a busy machine, and would take
 * as long again.
 */
const runAgainMax = 15;

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
  return first.some(canRunAgain) && failed <= runAgainMax;
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
