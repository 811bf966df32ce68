/**
 * Breaks one line of the product at a time and runs the suite that must notice: `npm run mutate`,
 * or `npm run mutate -- <part of a name> …` for some of them. Prints a table, and ends with 1 when
 * a suite does not notice. The list is `mutants.json`: guards of money and access, and above all
 * lines that connect parts, which no test of a single part covers.
 *
 * Each mutant runs in a copy of the tree. Suites of the built product build the product again
 * there.
 */

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { bunBinary, isStarted, root } from "./bun.mjs";
import { compile, ensureExecutable, executable } from "./build.mjs";
import { runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";
import { withPostgres } from "./postgres.mjs";

/**
 * @typedef {{
 *   readonly name: string,
 *   readonly file: string,
 *   readonly from: string,
 *   readonly to: string,
 *   readonly suite: readonly string[],
 * }} Mutant
 */

/** @type {readonly Mutant[]} */
export const mutants = JSON.parse(readFileSync(join(root, "scripts/mutants.json"), "utf8"));

/** Suites that run the built product, so that it must be built with the mutant first. */
const builtSuites = [
  "server/test/authorization",
  "server/test/cluster",
  "server/test/console-api",
  "server/test/proof",
];

/**
 * Returns the text of the file that a mutant changes, with the change made.
 *
 * @param {Mutant} mutant
 */
export function mutate({ name, file, from, to }) {
  const parts = readFileSync(join(root, file), "utf8").split(from);
  if (parts.length !== 2) {
    throw new Error(`"${name}": its line stands ${parts.length - 1} times in ${file}, not once`);
  }
  return parts.join(to);
}

/** Makes a copy of the tree. Packages from elsewhere are links to the ones installed here. */
function copyTree() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-mutants-"));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
  });
  for (const path of String(listed).split("\0")) {
    if (path === "" || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  for (const modules of ["node_modules", "server/node_modules", "web/node_modules"]) {
    if (existsSync(join(root, modules))) linkPackages(folder, modules);
  }
  // Copies the built console, because it is the same for every mutant of the server.
  if (existsSync(join(root, "dist"))) {
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
  }
  return folder;
}

/**
 * Links the installed packages into the copy. The links of our own workspaces are copied instead:
 * they are relative, so they lead to the workspaces in the copy.
 *
 * @param {string} folder
 * @param {string} modules
 */
function linkPackages(folder, modules) {
  mkdirSync(join(folder, modules), { recursive: true });
  for (const name of readdirSync(join(root, modules))) {
    const [from, to] = [join(root, modules, name), join(folder, modules, name)];
    if (name === "@tollgate") cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, to);
  }
}

/**
 * Runs a suite in the copy of the tree, after a new build if the suite needs one.
 *
 * @param {string} folder
 * @param {readonly string[]} suite
 * @param {string} postgresUrl
 * @returns {Promise<boolean>} whether the suite passes
 */
async function passes(folder, suite, postgresUrl) {
  const [path = ""] = suite;
  const isBuilt = builtSuites.some((start) => path.startsWith(start));
  const flags = ["test", "--no-env-file", "--bail", "--timeout=180000"];
  if (isBuilt) await compile(join(folder, relative(root, executable)), folder);
  const paths = suite.map((part) => `./${part}`);
  return (await run(bunBinary(), [...flags, ...paths], folder, postgresUrl)) === 0;
}

/**
 * Runs a command in the copy of the tree. Returns its exit status.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} folder
 * @param {string} postgresUrl
 */
async function run(command, args, folder, postgresUrl) {
  const env = { ...process.env, TOLLGATE_TEST_POSTGRES: postgresUrl };
  const { code } = await runChild(command, args, { cwd: folder, stdio: "ignore", env });
  return code;
}

/**
 * Tries the mutants one by one and prints which of them a suite noticed. Returns how many lived.
 *
 * @param {readonly string[]} parts of names; none: all mutants
 * @param {string} postgresUrl
 */
async function runMutants(parts, postgresUrl) {
  const chosen = mutants.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  );
  const folder = copyTree();
  let lived = 0;
  try {
    for (const suite of new Set(chosen.map((mutant) => mutant.suite.join(" ")))) {
      const paths = chosen.find((mutant) => mutant.suite.join(" ") === suite)?.suite ?? [];
      if (await passes(folder, paths, postgresUrl)) continue;
      throw new Error(`${suite} fails without any mutant`);
    }
    for (const mutant of chosen) {
      const original = readFileSync(join(root, mutant.file), "utf8");
      writeFileSync(join(folder, mutant.file), mutate(mutant));
      const isAlive = await passes(folder, mutant.suite, postgresUrl);
      writeFileSync(join(folder, mutant.file), original);
      if (isAlive) lived += 1;
      const row = `${isAlive ? "LIVED " : "killed"}  ${mutant.name}  (${mutant.suite.join(" ")})`;
      process.stdout.write(`${row}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`\n${chosen.length - lived} killed, ${lived} lived\n`);
  return lived;
}

if (isStarted(import.meta.url)) {
  await ensureInstalled();
  await ensureExecutable();
  const lived = await withPostgres(async (url) => await runMutants(process.argv.slice(2), url));
  process.exitCode = lived === 0 ? 0 : 1;
}
