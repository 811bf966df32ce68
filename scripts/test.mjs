/**
 * `npm test`: every suite, against a PostgreSQL server of its own. Ends with one line,
 * `N passed, N failed`, and with a failure when anything failed or a suite ran no test.
 *
 * In a whole run the journeys in a browser, the proofs and everything else run beside one another:
 * each waits now and then, for a page or for a disk, and together they keep two cores busy. The
 * journeys talk as they go; the others say what they have to say when they are done.
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
import { failureReader, lastLines, tellFailures } from "./failures.mjs";
import { ensureInstalled } from "./install.mjs";
import { listFiles } from "./list-files.mjs";
import { withPostgres } from "./postgres.mjs";

/** @typedef {import("./failures.mjs").Tally} Tally */

/** Tests of functions: their files run side by side. */
const unitFolders = ["contract", "demo", "server/src", "scripts", "web/src"];

/** Tests of many parts together, which load the machine little: side by side as well. */
const partPaths = [
  "server/test/accounts",
  "server/test/authorization",
  "server/test/console-api",
  "server/test/fuzz",
  "server/test/openai-fixtures.test.ts",
  "server/test/simulation",
];

/** Tests that boot the product: their files one after the other, because they load the machine. */
const productFolder = "server/test/proof";

/** Journeys in a browser; Playwright runs them, under Node. */
const journeyFolder = "e2e";

/** Longest one test may take: it ends what hangs, and is no measure of what half a core needs. */
const testMaxMs = 180_000;

/** Kept of an output that was said as it came. */
const lastWordsMaxChars = 20_000;

const given = process.argv.slice(2);
const paths = given.filter((argument) => !argument.startsWith("-"));
const own = new Set(["--check", "--long", "--unit"]);
const passedOn = given.filter((argument) => argument.startsWith("-") && !own.has(argument));
const isLong = given.includes("--long");

/** Somebody wants no more of it. */
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void (interrupted = true));

endWithNpm();
await ensureInstalled();
const isWhole = paths.length === 0 && !given.includes("--unit");
/** Whether a part's output waits for its end. One that takes hours is looked at meanwhile. */
const keepsOutput = isWhole && !isLong;
// Begun once, waited for by all that run the product.
const built = needsProduct() ? build() : Promise.resolve(null);
const lanes = await Promise.all([
  built.then((tally) => (tally === null ? [] : [tally])),
  runBesideJourneys(),
  runJourneysWhenBuilt(),
]);
const tallies = lanes.flat();
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
process.stderr.write(tellFailures(tallies.flatMap(({ failures = [] }) => failures)));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 && !interrupted ? 0 : 1;

/**
 * Runs one part of the whole and says its name. Beside the journeys its output comes at its end,
 * so that two texts never mix.
 *
 * @param {string} name
 * @param {(say: (text: string) => void) => Promise<Tally>} run
 * @returns {Promise<Tally>}
 */
async function runPart(name, run) {
  const startMs = performance.now();
  let kept = `\n== ${name}\n`;
  const sayNow = (/** @type {string} */ text) => void process.stderr.write(text);
  if (!keepsOutput) sayNow(kept);
  const say = (/** @type {string} */ text) => {
    if (!keepsOutput) sayNow(text);
    kept = keepsOutput ? kept + text : `${kept}${text}`.slice(-lastWordsMaxChars);
  };
  try {
    const tally = await run(say);
    // A check, a build, a suite that could not be counted: its last words.
    const isUntold = tally.failed > 0 && !tally.failures?.length;
    return isUntold ? { ...tally, failures: [lastLines(kept)] } : tally;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    say(`${words}\n`);
    return oneFailure(`${name}: ${words}`);
  } finally {
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    sayNow(keepsOutput ? `${kept}(${name}: ${seconds} s)\n` : "");
  }
}

/**
 * @param {string} words
 * @returns {Tally}
 */
function oneFailure(words) {
  return { passed: 0, failed: 1, failures: [words] };
}

/**
 * Checks and suites, the proofs beside them: those wait more than they work.
 *
 * @returns {Promise<Tally[]>}
 */
async function runBesideJourneys() {
  const wanted = suites();
  if (wanted.length === 0) return await runChecks();
  try {
    return await withPostgres(async (url) => {
      const proofs = wanted.filter(({ proves }) => proves);
      const others = wanted.filter(({ proves }) => !proves);
      const first = runChecks().then(async (done) => [...done, ...(await runSuites(others, url))]);
      return (await Promise.all([first, runSuites(proofs, url)])).flat();
    });
  } catch (error) {
    return [oneFailure(error instanceof Error ? error.message : String(error))];
  }
}

/** @returns {Promise<Tally[]>} */
async function runChecks() {
  const done = [];
  for (const { name, run } of given.includes("--check") ? checks : []) {
    if (interrupted) break;
    const check = async (/** @type {(text: string) => void} */ say) => {
      const fault = await run(say);
      if (fault !== null) say(`${name} failed: ${fault}\n`);
      return { passed: fault === null ? 1 : 0, failed: fault === null ? 0 : 1 };
    };
    done.push(await runPart(name, check));
  }
  return done;
}

/** @returns {Promise<Tally[]>} */
async function runJourneysWhenBuilt() {
  if (!needsProduct() || !wantsJourneys()) return [];
  if ((await built)?.failed !== 0 || interrupted) return [];
  try {
    return [await runJourneys(journeys(), passedOn)];
  } catch (error) {
    return [oneFailure(error instanceof Error ? error.message : String(error))];
  }
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
  return await runPart("build", async () => {
    await ensureBundle();
    await ensureExecutable();
    return { passed: 1, failed: 0 };
  });
}

/**
 * @typedef {object} Suite
 * @property {readonly string[]} paths
 * @property {boolean} parallel its files side by side
 * @property {boolean} boots runs the product, and so waits for the build
 * @property {boolean} proves is the suite of proofs
 */

/** @returns {Suite[]} */
function suites() {
  if (paths.length > 0) {
    const others = paths.filter((path) => !isJourney(path));
    if (others.length === 0) return [];
    return [{ paths: others.map(asPath), parallel: false, boots: needsProduct(), proves: false }];
  }
  const units = unitFolders.filter(hasTests).map((folder) => `./${folder}`);
  return [
    ...(units.length > 0 ? [{ paths: units, parallel: true, boots: false, proves: false }] : []),
    ...(isWhole
      ? [
          {
            paths: partPaths.map((path) => `./${path}`),
            parallel: true,
            boots: true,
            proves: false,
          },
          { paths: [`./${productFolder}`], parallel: false, boots: true, proves: true },
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
 * @param {readonly Suite[]} all
 * @param {string} url
 * @returns {Promise<Tally[]>}
 */
async function runSuites(all, url) {
  const done = [];
  for (const suite of all) {
    // A build that failed has been counted.
    if (interrupted || (suite.boots && (await built)?.failed !== 0)) break;
    done.push(await runPart(suite.paths.join(" "), (say) => runSuite(suite, url, say)));
  }
  return done;
}

/**
 * @param {Suite} suite
 * @param {string} url
 * @param {(text: string) => void} say
 * @returns {Promise<Tally>}
 */
async function runSuite(suite, url, say) {
  const workers = Math.min(availableParallelism(), 4);
  let output = "";
  const { read, failures } = failureReader();
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
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...environmentWithBun(),
        TOLLGATE_TEST_POSTGRES: url,
        ...(isLong ? { TOLLGATE_TEST_LONG: "1" } : {}),
        ...(process.stderr.isTTY ? { FORCE_COLOR: "1" } : {}),
      },
    },
    (child) => {
      child.stdout?.setEncoding("utf8").on("data", say);
      child.stderr?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        say(text);
        read(text);
        // The count stands at the end.
        output = (output + text).slice(-4_000);
      });
    },
  );
  if (ending.signal === "SIGINT" || ending.signal === "SIGTERM" || ending.code === 130) {
    interrupted = true;
  }
  return { ...readTally(output, ending.code), failures: failures() };
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
