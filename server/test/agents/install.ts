/**
 * Installs the agents from npm, into a folder of their own each: about 1.5 GB. Some fetch their
 * program with an install script, which npm must be told to run.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Package = { readonly name: string; readonly version: string };

/** The packages, by the names of their folders. */
const packages: Readonly<Record<string, Package>> = {
  claude: { name: "@anthropic-ai/claude-code", version: "2.1.332" },
  codex: { name: "@openai/codex", version: "0.171.0" },
  gemini: { name: "@google/gemini-cli", version: "0.61.0" },
  opencode: { name: "opencode-ai", version: "1.18.33" },
  qwen: { name: "@qwen-code/qwen-code", version: "0.24.4" },
};

/** A Node.js on which all of them run, because the one that is installed may be too old. */
const node: Package = {
  name: `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`,
  version: "24",
};

const programs = join(import.meta.dir, "../../../.cache/agents");

/** Returns the path of an agent's program. */
export function programOf(folder: string, program: string): string {
  return join(programs, folder, "node_modules/.bin", program);
}

/** The folder of the Node.js that runs the agents. */
export const nodeFolder = join(programs, "node/node_modules", node.name, "bin");

/** Installs what is not there yet, of these agents. */
export async function installAgents(folders: readonly string[]): Promise<void> {
  await install("node", node);
  for (const folder of folders) {
    const wanted = packages[folder];
    if (wanted !== undefined) await install(folder, wanted);
  }
}

/** SDKs from PyPI, and the program that runs what uses them. */
const pythonPackages = ["anthropic==2.14.0", "google-genai==3.6.1", "openai==3.57.0"];
export const pythonProgram = join(programs, "python/bin/python");

/** Installs the SDKs of PyPI into an environment of their own. */
export async function installPython(): Promise<void> {
  const home = join(programs, "python");
  const stamp = join(home, "installed");
  const wanted = pythonPackages.join("\n");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  process.stderr.write(`Installing ${pythonPackages.join(", ")} …\n`);
  await succeed(["python3", "-m", "venv", home]);
  const flags = ["--quiet", "--disable-pip-version-check"];
  await succeed([pythonProgram, "-m", "pip", "install", ...flags, ...pythonPackages]);
  writeFileSync(stamp, wanted);
}

async function succeed(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

async function install(folder: string, { name, version }: Package): Promise<void> {
  const home = join(programs, folder);
  const manifest = JSON.stringify({
    private: true,
    dependencies: { [name]: version },
    allowScripts: { [name]: true },
  });
  // Written when everything is there.
  const stamp = join(home, "installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return;
  process.stderr.write(`Installing ${name} ${version} …\n`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), manifest);
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const flags = ["--ignore-scripts=false", "--no-audit", "--no-fund", "--loglevel=error"];
  const installing = Bun.spawn([npm, "install", ...flags], {
    cwd: home,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await installing.exited) !== 0) throw new Error(`${name} could not be installed`);
  writeFileSync(stamp, manifest);
}
