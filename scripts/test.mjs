/**
 * `npm test` runs every suite, with a temporary PostgreSQL server. Its last line is
 * `N passed, N failed`; it fails when anything failed or a suite ran no test.
 *
 * A whole run has three lanes at the same time: the browser journeys, the proofs, and everything
 * else. Each waits now and then for a page or a disk, and together they keep two cores busy. The
 * output of the journeys appears as it comes, that of the other parts when they are done.
 *
 * What fails in a whole run runs once more by itself at its end: on a machine that others share, a
 * browser or a server may stand still for longer than any limit of a test. What passes then counts
 * as passed, and is named, because it is a defect of the test or a race of the product.
 *
 * `-- <path> …` runs these tests only. `--long` runs tests at their full size. `--check` adds the
 * static checks (format, lint, types). `--unit` leaves out the suites that need the built product.
 * `--again` runs what failed once more also when only some tests run. Other flags go to `bun test`.
 */

import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { runJourneys } from "./browser-tests.mjs";
import { root } from "./bun.mjs";
import { ensureExecutable } from "./build.mjs";
import { runTests, testFiles } from "./bun-tests.mjs";
import { checks } from "./checks.mjs";
import { endWithNpm } from "./child.mjs";
import { lastLines, mayRunAgain, tellFailures, tellUnsteady, withSecondRun } from "./failures.mjs";
import { ensureInstalled } from "./install.mjs";
import { keepFilesInMemory } from "./memory.mjs";
import { caddyProgram, nginxProgram } from "./reverse-proxies.mjs";
import { withPostgres } from "./postgres.mjs";

/** @typedef {import("./failures.mjs").Tally} Tally */

/**
 * Tests that need no built product: their files run side by side. They share what they load;
 * loading it for each file again would take half as long again.
 */
const quickPaths = [
  "bench",
  "contract",
  "scripts",
  "server/src",
  "server/test/accounts",
  "server/test/config.test.ts",
  "server/test/endings",
  "server/test/fuzz",
  "server/test/objects-per-call.test.ts",
  "server/test/openai-fixtures.test.ts",
  "server/test/recordings",
  "server/test/sdks",
  "server/test/tree",
  "server/test/upstreams",
  "server/test/usage-reports",
  "server/test/web-socket.test.ts",
];

/** Tests that need no built product either; each file has a browser's page of its own. */
const pagePaths = ["web/src"];

/** Tests of several parts together, most with the built product, that load the machine little. */
const partPaths = [
  "server/test/authorization",
  "server/test/console-api",
  "server/test/growth",
  "server/test/simulation",
];

/**
 * Proofs: tests that boot the product and load the machine. Two files run side by side; a file that
 * begins with the comment "Runs alone: <why>" runs while no other proof does.
 */
const proofFolder = "server/test/proof";
/** Proofs of several nodes on one database. */
const clusterFolder = "server/test/cluster";
const proofsAtOnce = 2;

/** Journeys in a browser; Playwright runs them, under Node. */
const journeyFolder = "e2e";

/** How much of the end of an output is kept when the output is printed as it comes. */
const lastWordsMaxChars = 20_000;

const given = process.argv.slice(2);
const paths = given.filter((argument) => !argument.startsWith("-"));
const own = new Set(["--again", "--check", "--long", "--unit"]);
const passedOn = given.filter((argument) => argument.startsWith("-") && !own.has(argument));
const isLong = given.includes("--long");

/** True after Ctrl-C or SIGTERM. */
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void (interrupted = true));

endWithNpm();
await ensureInstalled();
// A long run tests with a disk, too.
if (!isLong) keepFilesInMemory();
const isWhole = paths.length === 0 && !given.includes("--unit");
/**
 * Whether the output of a part is printed when the part ends. A long run prints it as it comes,
 * because people watch a part that takes hours.
 */
const keepsOutput = isWhole && !isLong;
// The build, started once; every suite that needs the product waits for it.
const built = needsProduct() ? build() : Promise.resolve(null);
const lanes = await Promise.all([
  built.then((tally) => (tally === null ? [] : [tally])),
  runBesideJourneys(),
  runJourneysWhenBuilt(),
]);
const { tallies, unsteady } = await runAgain(lanes.flat());
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
process.stderr.write(tellUnsteady(unsteady));
process.stderr.write(tellFailures(tallies.flatMap(({ failures = [] }) => failures)));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 && !interrupted ? 0 : 1;

/**
 * Runs one part and prints its name. When lanes run side by side, its output appears at its end, so
 * that two outputs never mix.
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
    // A check, a build, or a suite that could not be counted may fail without a text; then the end
    // of its output says why.
    const isUntold = tally.failed > 0 && !tally.failures?.length;
    return isUntold ? { ...tally, failures: [lastLines(kept)] } : tally;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    say(`${words}\n`);
    return oneFailure(`${name}: ${words}`);
  } finally {
    sayNow(keepsOutput ? `${kept}(${name}: ${secondsSince(startMs)} s)\n` : "");
  }
}

/** @param {number} startMs */
function secondsSince(startMs) {
  return ((performance.now() - startMs) / 1_000).toFixed(0);
}

/**
 * Makes the tally of one failure.
 *
 * @param {string} words
 * @returns {Tally}
 */
function oneFailure(words) {
  return { passed: 0, failed: 1, failures: [words] };
}

/**
 * Runs checks and suites and, at the same time, the proofs, which wait more than they work.
 *
 * @returns {Promise<Tally[]>}
 */
async function runBesideJourneys() {
  const wanted = suites();
  if (wanted.length === 0) return await runChecks();
  try {
    return await withPostgres(
      async (url) => {
        const proofs = wanted.filter(({ isProof }) => isProof);
        const others = wanted.filter(({ isProof }) => !isProof);
        const first = runChecks().then(async (done) => [
          ...done,
          ...(await runSuites(others, url)),
        ]);
        return (await Promise.all([first, runSuites(proofs, url)])).flat();
      },
      { syncs: isLong },
    );
  } catch (error) {
    return [oneFailure(error instanceof Error ? error.message : String(error))];
  }
}

/**
 * Runs the static checks, if they are wanted.
 *
 * @returns {Promise<Tally[]>}
 */
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

/**
 * Runs the journeys, if they are wanted, once the build has succeeded.
 *
 * @returns {Promise<Tally[]>}
 */
async function runJourneysWhenBuilt() {
  if (!needsProduct() || !wantsJourneys()) return [];
  if ((await built)?.failed !== 0 || interrupted) return [];
  const startMs = performance.now();
  try {
    return [await runJourneys(journeys(), passedOn)];
  } catch (error) {
    return [oneFailure(error instanceof Error ? error.message : String(error))];
  } finally {
    process.stderr.write(`(${journeyFolder}: ${secondsSince(startMs)} s)\n`);
  }
}

/**
 * Runs what failed once more by itself, in a whole run or where `--again` asks for it.
 *
 * @param {readonly Tally[]} first
 */
async function runAgain(first) {
  const isWanted = (isWhole && !isLong) || given.includes("--again");
  if (!isWanted || interrupted || !mayRunAgain(first)) return { tallies: first, unsteady: [] };
  return await withSecondRun(first, {
    files: async (files) =>
      await withPostgres(
        async (url) => {
          const suite = { name: "again", paths: files, workers: 1, shares: false };
          return await runPart("what failed, by itself", (say) => runSuite(suite, url, say));
        },
        { syncs: isLong },
      ),
    journeys: async () => await runJourneys([], [...passedOn, "--last-failed", "--workers=1"]),
  });
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

/** Whether one of the wanted suites needs the product. */
function needsProduct() {
  if (given.includes("--unit")) return false;
  const isQuick = (/** @type {string} */ path) =>
    [...quickPaths, ...pagePaths].some((quick) =>
      `${resolve(root, path)}/`.startsWith(join(root, quick, "/")),
    );
  return paths.length === 0 || !paths.every(isQuick);
}

/**
 * Builds the product and counts the build as a test.
 *
 * @returns {Promise<Tally>}
 */
async function build() {
  return await runPart("build", async () => {
    await ensureExecutable();
    return { passed: 1, failed: 0 };
  });
}

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {readonly string[]} paths
 * @property {number} workers files that run side by side
 * @property {boolean} shares the files of a worker share their globals and what they load
 * @property {boolean} boots runs the product, and so waits for the build
 * @property {boolean} isProof runs beside all other suites
 */

/**
 * Lists the suites to run, by the paths and flags of the command line.
 *
 * @returns {Suite[]}
 */
function suites() {
  if (paths.length > 0) {
    const others = paths.filter((path) => !isJourney(path)).map(asPath);
    if (others.length === 0) return [];
    const name = others.join(" ");
    const alone = { workers: 1, shares: false, isProof: false };
    return [{ name, paths: others, boots: needsProduct(), ...alone }];
  }
  const workers = Math.min(availableParallelism(), 4);
  const quick = quickPaths
    .filter((path) => testFiles([path]).length > 0)
    .map((path) => `./${path}`);
  const pages = pagePaths.map((path) => `./${path}`);
  const parts = partPaths.map((path) => `./${path}`);
  const proofs = testFiles([proofFolder, clusterFolder]);
  const unit = { workers, boots: false, isProof: false };
  const ofProofs = { shares: false, boots: true, isProof: true };
  /** @type {readonly Suite[]} */
  const all = [
    { name: quick.join(" "), paths: quick, shares: true, ...unit },
    { name: pages.join(" "), paths: pages, shares: false, ...unit },
    { name: parts.join(" "), paths: parts, shares: false, ...unit, boots: true },
    {
      name: `${proofFolder}, side by side`,
      paths: proofs.filter((file) => !runsAlone(file)),
      workers: Math.min(workers, proofsAtOnce),
      ...ofProofs,
    },
    { name: `${proofFolder}, alone`, paths: proofs.filter(runsAlone), workers: 1, ...ofProofs },
  ];
  return all.filter((suite) => isWhole || !suite.boots).filter((suite) => suite.paths.length > 0);
}

/**
 * Whether a proof begins with the comment "Runs alone:".
 *
 * @param {string} file
 */
function runsAlone(file) {
  return readFileSync(file, "utf8").startsWith("/** Runs alone: ");
}

/**
 * Makes the path of an existing file absolute, because `bun test` reads an argument that does not
 * begin like a path as part of a file name.
 *
 * @param {string} path
 */
function asPath(path) {
  return existsSync(resolve(root, path)) ? resolve(root, path) : path;
}

/**
 * Runs suites one after the other.
 *
 * @param {readonly Suite[]} all
 * @param {string} url
 * @returns {Promise<Tally[]>}
 */
async function runSuites(all, url) {
  const done = [];
  for (const suite of all) {
    // If the build failed, the suites from here on are left out; the failure of the build has been
    // counted already.
    if (interrupted || (suite.boots && (await built)?.failed !== 0)) break;
    done.push(await runPart(suite.name, (say) => runSuite(suite, url, say)));
  }
  return done;
}

/**
 * Runs one suite with `bun test`, the PostgreSQL server at `url`, nginx and Caddy.
 *
 * @param {Pick<Suite, "paths" | "workers" | "shares">} suite
 * @param {string} url
 * @param {(text: string) => void} say
 * @returns {Promise<Tally>}
 */
async function runSuite({ paths: tests, workers, shares }, url, say) {
  const env = {
    TOLLGATE_TEST_POSTGRES: url,
    TOLLGATE_TEST_CADDY: caddyProgram(),
    TOLLGATE_TEST_NGINX: nginxProgram(),
    ...(isLong ? { TOLLGATE_TEST_LONG: "1" } : {}),
  };
  const tally = await runTests({ paths: tests, workers, shares, flags: passedOn, env }, say);
  interrupted ||= tally.interrupted;
  return tally;
}
