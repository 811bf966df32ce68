/**
 * Builds executables for other platforms than this one, with checksums, the list of what is in them,
 * and what was tried: `npm run build -- --target linux-x64,linux-arm64` or `--target all`.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createReadStream,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { ensureWeb } from "#scripts/build-web.mjs";
import { root } from "#scripts/bun.mjs";
import { makeSbom, programVersion } from "./sbom.mjs";
import { isTarget, lockedPackages, runtimeOf, targets } from "./targets.mjs";
import { tryExecutable } from "./try-executable.mjs";

/** Where artefacts are put. */
const releaseFolder = join(root, "dist/release");

/** @typedef {import("./targets.mjs").Target} Target */

/**
 * Builds the targets, and writes what belongs to them.
 *
 * @param {string} asked names, separated by commas, or `all`
 * @param {{ commit: string, compile: (outfile: string, tree: string, other: { runtime: string, target: string }) => Promise<void> }} build
 */
export async function buildTargets(asked, { commit, compile }) {
  const names = asked === "all" ? Object.keys(targets) : asked.split(",");
  const unknown = names.find((name) => !isTarget(name));
  if (unknown !== undefined) {
    throw new Error(`${unknown} is no target. Known: ${Object.keys(targets).join(", ")}, all.`);
  }
  await ensureWeb();
  rmSync(releaseFolder, { recursive: true, force: true });
  mkdirSync(releaseFolder, { recursive: true });
  const version = programVersion();
  /** @type {[string, string][]} */
  const tried = [];
  for (const name of names.filter(isTarget)) {
    const file = join(releaseFolder, fileNameOf(version, name));
    // Bun leaves the source maps beside it, which the executable contains.
    const folder = join(root, `dist/target-${process.pid}`);
    const fresh = join(folder, basename(file));
    await compile(fresh, root, { runtime: await runtimeOf(name), target: targets[name].bun });
    renameSync(fresh, file);
    rmSync(folder, { recursive: true });
    tried.push([name, await tryExecutable(file, name)]);
    process.stdout.write(`${basename(file)}: ${tried.at(-1)?.[1]}\n`);
  }
  writeSbom(version, commit);
  writeNotes(version, commit, tried);
  await writeSums();
}

/**
 * @param {string} version
 * @param {Target} target
 */
function fileNameOf(version, target) {
  return `tollgate-${version}-${target}${target.startsWith("windows") ? ".exe" : ""}`;
}

/**
 * @param {string} version
 * @param {string} commit
 */
function writeSbom(version, commit) {
  const builtAt = git("log", "-1", "--format=%cI") || new Date(0).toISOString();
  const bun = lockedPackages()["node_modules/@oven/bun-linux-x64"]?.version ?? "";
  const sbom = makeSbom({ version, commit, builtAt, bun });
  const file = join(releaseFolder, `tollgate-${version}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

/**
 * @param {string} version
 * @param {string} commit
 * @param {readonly [string, string][]} tried
 */
function writeNotes(version, commit, tried) {
  const lines = tried.map(([name, what]) => `- ${name}: ${what}`);
  const text = `Tollgate ${version}, ${commit}. What was tried where this was built:\n\n${lines.join("\n")}\n`;
  writeFileSync(join(releaseFolder, "TRIED.md"), text);
}

/** Writes the checksums of everything in the folder, in the form that `sha256sum --check` reads. */
async function writeSums() {
  const names = readdirSync(releaseFolder).filter((name) => name !== "SHA256SUMS");
  const lines = [];
  for (const name of names.toSorted()) {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(join(releaseFolder, name))) hash.update(chunk);
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  writeFileSync(join(releaseFolder, "SHA256SUMS"), lines.join(""));
}

/** @param {string[]} args */
function git(...args) {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";
}
