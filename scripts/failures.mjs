/**
 * What failed in a run, told once more at its end: in the output of thousands of tests, side by
 * side, nobody finds the one.
 */

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} [failures] what failed, for people
 */

/** Lines kept of what a failed test or check said last. */
const linesMax = 30;

/** Failures told in full; a build that broke everything needs no thousand of them. */
const failuresMax = 20;

const lineMaxChars = 400;

/** @param {string} text */
function plain(text) {
  // oxlint-disable-next-line no-control-regex -- colours
  return text.replaceAll(/\u001b\[[\d;]*m/g, "");
}

/**
 * Reads the output of `bun test` as it comes, in pieces of any size.
 *
 * @returns {{ read: (text: string) => void, failures: () => string[] }} each failure with what its
 *   file said before it
 */
export function failureReader() {
  /** @type {string[]} */
  const failures = [];
  /** @type {string[]} */
  let before = [];
  let file = "";
  let rest = "";
  let isOver = false;
  const take = (/** @type {string} */ line) => {
    // Bun's own list at the end has the names only.
    isOver ||= /^\d+ tests failed:$/.test(line);
    if (isOver) return;
    if (/^\S+\.test\.tsx?:$/.test(line)) {
      file = line;
      before = [];
    } else if (line.startsWith("(fail) ")) {
      failures.push([file, ...before, line].join("\n"));
      before = [];
    } else if (/^\((?:pass|skip|todo)\) /.test(line)) {
      before = [];
    } else {
      before = [...before.slice(1 - linesMax), line.slice(0, lineMaxChars)];
    }
  };
  return {
    read(text) {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(plain(line));
    },
    failures: () => failures,
  };
}

/**
 * @typedef {object} JourneyReport what Playwright's JSON reporter writes, as far as it is read here
 * @property {JourneyReport[]} [suites]
 * @property {{ file: string, line: number, title: string, ok: boolean, tests: {
 *   projectName: string,
 *   results: { errors: { message?: string }[] }[] }[] }[]} [specs]
 */

/**
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

/** @param {string} text */
function firstLines(text) {
  const lines = text.split("\n").slice(0, linesMax);
  return lines.map((line) => line.slice(0, lineMaxChars)).join("\n");
}

/**
 * The end of a check's output, which says what is wrong.
 *
 * @param {string} text
 */
export function lastLines(text) {
  const lines = plain(text).trimEnd().split("\n").slice(-linesMax);
  return lines.map((line) => line.slice(0, lineMaxChars)).join("\n");
}

/**
 * @param {readonly string[]} failures
 * @returns {string} nothing where nothing failed
 */
export function tellFailures(failures) {
  if (failures.length === 0) return "";
  const more = failures.length - failuresMax;
  const told = failures.slice(0, failuresMax).join("\n\n");
  return `\n== what failed\n${told}\n${more > 0 ? `\n… and ${more} more\n` : ""}\n`;
}
