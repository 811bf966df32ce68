/** Static checks: format, lint (with the rules about layers), types. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { runChild } from "./child.mjs";

/** Folders with a `tsconfig.json` of their own. */
const typedFolders = ["contract", "demo", "server", "scripts", "web", "e2e", "bench"];

/** @typedef {(text: string) => void} Say */

/**
 * Each check returns null, or a text that says what is wrong.
 *
 * @type {readonly { readonly name: string, readonly run: (say: Say) => Promise<string | null> }[]}
 */
export const checks = [
  { name: "format", run: async (say) => (await runTool("oxfmt", ["--check"], { say })).fault },
  { name: "lint", run: lint },
  ...typedFolders
    .filter((folder) => existsSync(join(root, folder, "tsconfig.json")))
    .map((folder) => ({
      name: `types of ${folder}`,
      run: async (/** @type {Say} */ say) => {
        const args = ["--noEmit", "-p", folder];
        return (await runTool("typescript", args, { program: "tsc", say })).fault;
      },
    })),
];

/**
 * Runs the linter. Checks the number of files too, because a linter that finds no files reports no
 * faults.
 */
async function lint(/** @type {Say} */ say) {
  const { output, fault } = await runTool("oxlint", ["--type-aware"], { say });
  const files = Number(/ on (\d+) files? /.exec(output)?.[1] ?? 0);
  return files === 0 ? "no file was checked" : fault;
}

/**
 * Runs a tool under Bun, because a configuration in TypeScript needs a newer Node than we require.
 *
 * @param {string} name of the package
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.program] in the package's folder `bin`
 * @param {Say} [options.say]
 */
export async function runTool(name, args, { program = name, say = sayNow } = {}) {
  let output = "";
  const { code } = await runChild(
    bunBinary(),
    ["--bun", join(root, "node_modules", name, "bin", program), ...args],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: environmentWithBun() },
    (child) => {
      child.stderr?.setEncoding("utf8").on("data", say);
      child.stdout?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        say(text);
        output += text;
      });
    },
  );
  return { output, fault: code === 0 ? null : `${program} ended with ${code}` };
}

/**
 * Prints a text immediately.
 *
 * @type {Say}
 */
function sayNow(text) {
  process.stderr.write(text);
}
