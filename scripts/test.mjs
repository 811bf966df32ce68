/**
 * `npm test`: every suite, against a PostgreSQL server of its own. Ends with one line,
 * `N passed, N failed`, and with a failure when anything failed or a suite ran no test.
 *
 * `-- <path> …` runs those tests only; `--long` lets tests take their full size; `--check` adds
 * what `.ci/run` wants to see (format, lint, types, the executable); `--unit` leaves out the
 * suites that boot the product. Other flags go to `bun test`.
 */

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { runJourneys } from "./browser-tests.mjs";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { ensureBundle, ensureExecutable } from "./build.mjs";
import { checks } from "./checks.mjs";
import { endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";
import { listFiles } from "./list-files.mjs";
import { withPostgres } from "./postgres.mjs";

/** @typedef {{ readonly passed: number, readonly failed: number }} Tally */

/** Tests of functions: their files run side by side. */
const unitFolders = ["contract", "server/src", "scripts", "web/src"];

/** Tests of many parts together, which load the machine little: side by side as well. */
const partPaths = [
  "server/test/accounts",
  "server/test/authorization",
  "server/test/fuzz",
  "server/test/openai-fixtures.test.ts",
  "server/test/simulation",
];

/** Tests that boot the product: one after the other, because they load the machine. */
const productFolder = "server/test/proof";

/** Journeys in a browser; Playwright runs them, under Node. */
const journeyFolder = "e2e";

/** Longest one test may take. Two cores under load are slow, and a hang is a failure all the same. */
const testMaxMs = 60_000;

const given = process.argv.slice(2);
const paths = given.filter((argument) => !argument.startsWith("-"));
const own = new Set(["--check", "--long", "--unit"]);
const passedOn = given.filter((argument) => argument.startsWith("-") && !own.has(argument));
const isLong = given.includes("--long");

/** Somebody wants no more of it. */
let interrupted = false;

endWithNpm();
await ensureInstalled();
const tallies = [...(given.includes("--check") ? await runChecks() : []), ...(await runTests())];
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** @returns {Promise<Tally[]>} */
async function runChecks() {
  const done = [];
  for (const { name, run } of checks) {
    process.stderr.write(`\n== ${name}\n`);
    const fault = await run();
    if (fault !== null) process.stderr.write(`${name} failed: ${fault}\n`);
    done.push({ passed: fault === null ? 1 : 0, failed: fault === null ? 0 : 1 });
  }
  return done;
}

/** @returns {Promise<Tally[]>} */
async function runTests() {
  const built = needsProduct() ? await build() : null;
  const withProduct = built?.failed === 0;
  const done = built === null ? [] : [built];
  const wanted = suites(withProduct);
  try {
    if (wanted.length > 0) done.push(...(await withPostgres((url) => runSuites(wanted, url))));
    const goesOn = withProduct && wantsJourneys() && !interrupted;
    if (goesOn) done.push(await runJourneys(journeys(), passedOn));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    done.push({ passed: 0, failed: 1 });
  }
  return done;
}

/** @param {string} path */
function isJourney(path) {
  return `${resolve(root, path)}/`.startsWith(join(root, journeyFolder, "/"));
}

function journeys() {
  return paths.filter(isJourney);
}

function wantsJourneys() {
  return paths.length === 0 || journeys().length > 0;
}

/** Whether a suite that is asked for boots the product. */
function needsProduct() {
  if (given.includes("--unit")) return false;
  const isUnit = (/** @type {string} */ path) =>
    unitFolders.some((folder) => `${resolve(root, path)}/`.startsWith(join(root, folder, "/")));
  return paths.length === 0 || !paths.every(isUnit);
}

/** @returns {Promise<Tally>} */
async function build() {
  process.stderr.write("\n== build\n");
  try {
    await ensureBundle();
    await ensureExecutable();
    return { passed: 1, failed: 0 };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1 };
  }
}

/**
 * @param {boolean} withProduct false also where the product could not be built
 * @returns {{ readonly paths: readonly string[], readonly parallel: boolean }[]}
 */
function suites(withProduct) {
  if (paths.length > 0) {
    const others = paths.filter((path) => !isJourney(path));
    return others.length === 0 ? [] : [{ paths: others.map(asPath), parallel: false }];
  }
  return [
    ...unitFolders.filter(hasTests).map((folder) => ({ paths: [`./${folder}`], parallel: true })),
    ...(withProduct
      ? [
          { paths: partPaths.map((path) => `./${path}`), parallel: true },
          { paths: [`./${productFolder}`], parallel: false },
        ]
      : []),
  ];
}

/** @param {string} folder */
function hasTests(folder) {
  return listFiles(join(root, folder)).some((file) => /\.test\.tsx?$/.test(file));
}

/**
 * `bun test` takes what does not begin like a path for a part of a name, and finds too much.
 *
 * @param {string} path
 */
function asPath(path) {
  return existsSync(resolve(root, path)) ? resolve(root, path) : path;
}

/**
 * @param {ReturnType<typeof suites>} all
 * @param {string} url
 * @returns {Promise<Tally[]>}
 */
async function runSuites(all, url) {
  const done = [];
  for (const suite of all) {
    process.stderr.write(`\n== ${suite.paths.join(" ")}\n`);
    done.push(await runSuite(suite, url));
    if (interrupted) break;
  }
  return done;
}

/**
 * @param {ReturnType<typeof suites>[number]} suite
 * @param {string} url
 * @returns {Promise<Tally>}
 */
async function runSuite(suite, url) {
  const workers = Math.min(availableParallelism(), 4);
  let output = "";
  const ending = await runChild(
    bunBinary(),
    [
      "test",
      "--no-env-file",
      "--no-orphans",
      `--timeout=${testMaxMs}`,
      // A file's own globals, such as a page, are not the next one's.
      suite.parallel && workers > 1 ? `--parallel=${workers}` : "--isolate",
      ...passedOn,
      ...suite.paths,
    ],
    {
      cwd: root,
      stdio: ["ignore", 2, "pipe"],
      env: {
        ...environmentWithBun(),
        TOLLGATE_TEST_POSTGRES: url,
        ...(isLong ? { TOLLGATE_TEST_LONG: "1" } : {}),
        ...(process.stderr.isTTY ? { FORCE_COLOR: "1" } : {}),
      },
    },
    (child) => {
      child.stderr?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        process.stderr.write(text);
        // The count stands at the end.
        output = (output + text).slice(-4_000);
      });
    },
  );
  interrupted = ending.signal === "SIGINT" || ending.signal === "SIGTERM" || ending.code === 130;
  return readTally(output, ending.code);
}

/**
 * Bun's own count, because its report files leave out a test file that could not be loaded.
 *
 * @param {string} output
 * @param {number | null} code
 * @returns {Tally}
 */
function readTally(output, code) {
  // oxlint-disable-next-line no-control-regex -- colours
  const plain = output.replaceAll(/\u001b\[[\d;]*m/g, "");
  const passedCount = lastNumber(plain, /^ *(\d+) pass$/gm);
  const failedCount = lastNumber(plain, /^ *(\d+) fail$/gm);
  const isUnsaid = failedCount === 0 && (code !== 0 || passedCount === 0);
  return { passed: passedCount, failed: isUnsaid ? 1 : failedCount };
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function lastNumber(text, pattern) {
  return Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
}
