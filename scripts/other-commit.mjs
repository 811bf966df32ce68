/** Builds another commit of this repository, to compare it with the working tree. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bun.mjs";
import { runChild } from "./child.mjs";

/**
 * The folder of the git worktrees. Each process has one, named by its process id. Git ignores them.
 */
const folders = join(root, ".cache/against");

/**
 * Finds a commit by any name that Git knows it by.
 *
 * @param {string} revision anything that git knows as a commit
 * @returns {string} the whole hash
 * @throws {Error} when there is no such commit
 */
export function commitOf(revision) {
  const { status, stdout } = git(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]);
  if (status !== 0) throw new Error(`Git knows no commit ${revision}.`);
  return stdout.trim();
}

/**
 * Checks a commit out into a git worktree, installs from its own lock file, builds it with its own
 * `npm run build`, and calls `use` with the folder. The folder is removed however `use` ends, also
 * after Ctrl-C.
 *
 * @template Result
 * @param {string} commit
 * @param {(folder: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withCommit(commit, use) {
  removeLeftovers();
  const folder = join(folders, String(process.pid));
  const remove = () => removeWorktree(folder);
  // Ctrl-C ends the program that this process waits for; this process must stay to remove the
  // folder.
  const stay = () => {};
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, stay);
  process.once("exit", remove);
  try {
    mkdirSync(folders, { recursive: true });
    const { status, stderr } = git(["worktree", "add", "--quiet", "--detach", folder, commit]);
    if (status !== 0) throw new Error(`Git could not check out ${commit}: ${stderr.trim()}`);
    await build(folder);
    return await use(folder);
  } finally {
    remove();
    process.off("exit", remove);
    for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.off(signal, stay);
  }
}

/**
 * Builds the commit that is checked out in this folder, with its own build script.
 *
 * @param {string} folder
 */
async function build(folder) {
  const { code } = await runChild(process.execPath, ["scripts/build.mjs"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
  if (code !== 0) throw new Error("The other commit could not be built.");
}

/** Removes folders of runs that were killed and could not do it themselves. */
function removeLeftovers() {
  if (!existsSync(folders)) return;
  for (const name of readdirSync(folders)) {
    if (!isRunning(Number(name))) removeWorktree(join(folders, name));
  }
}

/**
 * Whether a process with this id is running.
 *
 * @param {number} pid
 */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Removes a worktree and its folder.
 *
 * @param {string} folder
 */
function removeWorktree(folder) {
  git(["worktree", "remove", "--force", folder]);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Runs Git in the clone.
 *
 * @param {readonly string[]} args
 */
function git(args) {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" });
}
