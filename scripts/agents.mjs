/**
 * `npm run agents` lets coding agents each write a file through the gateway, with upstreams that
 * speak another format than they do, and prints a table. It installs the agents from npm into
 * `.cache/agents/`, about 1.5 GB. `-- --agent codex` runs one of them, `-- --upstream ollama` one
 * format.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bunBinary, environmentWithBun, root } from "./bun.mjs";
import { ensureBundle } from "./build.mjs";
import { apart, endLike, endWithNpm, runChild } from "./child.mjs";
import { ensureInstalled } from "./install.mjs";

/**
 * The packages by the names of their folders. Some fetch their program with an install script,
 * which npm must be told to run.
 *
 * @type {Readonly<Record<string, { readonly name: string, readonly version: string }>>}
 */
const packages = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.330" },
  codex: { name: "@openai/codex", version: "0.169.0" },
  gemini: { name: "@google/gemini-cli", version: "0.61.0" },
  opencode: { name: "opencode-ai", version: "1.18.33" },
  qwen: { name: "@qwen-code/qwen-code", version: "0.24.4" },
};

/** The oldest Node.js that all agents run on, and the package of one that they do. */
const nodeMajorMin = 22;
const ownNode = {
  name: `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`,
  version: "24",
};

endWithNpm();
await ensureInstalled();
await ensureBundle();
const cache = join(root, ".cache/agents");
for (const [folder, wanted] of Object.entries(packages)) await ensurePackage(folder, wanted);
const isOld = Number(process.versions.node.split(".")[0]) < nodeMajorMin;
if (isOld) await ensurePackage("node", ownNode);
const nodeFolder = isOld ? [`--node=${join(cache, "node/node_modules", ownNode.name, "bin")}`] : [];
endLike(
  await runChild(
    bunBinary(),
    [
      "--no-env-file",
      "server/test/agents/main.ts",
      `--programs=${cache}`,
      ...nodeFolder,
      ...process.argv.slice(2),
    ],
    { cwd: root, env: environmentWithBun(), ...apart },
  ),
);

/**
 * Installs a package into a folder of the cache, if it is not there in this version.
 *
 * @param {string} folder
 * @param {{ readonly name: string, readonly version: string }} wanted
 */
async function ensurePackage(folder, { name, version }) {
  const home = join(cache, folder);
  const manifest = JSON.stringify({
    private: true,
    dependencies: { [name]: version },
    allowScripts: { [name]: true },
  });
  const file = join(home, "package.json");
  const isThere = existsSync(file) && readFileSync(file, "utf8") === manifest;
  if (isThere && existsSync(join(home, "installed"))) return;
  process.stderr.write(`Installing ${name} ${version} …\n`);
  mkdirSync(home, { recursive: true });
  writeFileSync(file, manifest);
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const flags = ["--ignore-scripts=false", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code } = await runChild(npm, ["install", ...flags], { cwd: home });
  if (code !== 0) {
    process.stderr.write(`${name} could not be installed.\n`);
    process.exit(2);
  }
  writeFileSync(join(home, "installed"), "");
}
