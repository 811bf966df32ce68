/** What is judged without running the product: format, lint with the layers, types. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { runChild } from "./child.mjs";

/** Folders whose types are checked, each by its own `tsconfig.json`. */
const typedFolders = ["contract", "server", "scripts", "web", "e2e", "bench"];

/**
 * Each answers null, or what is wrong.
 *
 * @type {readonly { readonly name: string, readonly run: () => Promise<string | null> }[]}
 */
export const checks = [
  { name: "format", run: async () => (await runTool("oxfmt", ["--check"])).fault },
  { name: "lint", run: lint },
  ...typedFolders
    .filter((folder) => existsSync(join(root, folder, "tsconfig.json")))
    .map((folder) => ({
      name: `types of ${folder}`,
      run: async () => (await runTool("typescript", ["--noEmit", "-p", folder], "tsc")).fault,
    })),
];

/** A linter that finds no files reports no faults, so the number of files is part of the verdict. */
async function lint() {
  const { output, fault } = await runTool("oxlint", ["--type-aware"]);
  const files = Number(/ on (\d+) files? /.exec(output)?.[1] ?? 0);
  return files === 0 ? "no file was checked" : fault;
}

/**
 * Runs a tool under Bun, because a configuration in TypeScript needs a newer Node than we ask for.
 *
 * @param {string} name of the package
 * @param {readonly string[]} args
 * @param {string} [program] in the package's folder `bin`
 */
export async function runTool(name, args, program = name) {
  let output = "";
  const { code } = await runChild(
    bunBinary(),
    ["--bun", join(root, "node_modules", name, "bin", program), ...args],
    { cwd: root, stdio: ["ignore", "pipe", 2], env: environmentWithBun() },
    (child) => {
      child.stdout?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        process.stderr.write(text);
        output += text;
      });
    },
  );
  return { output, fault: code === 0 ? null : `${program} ended with ${code}` };
}
