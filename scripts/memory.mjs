/**
 * Lets tests keep their files in memory. Each test makes a folder or a database of its own and
 * commits to it, and on a disk all of them wait for the same one. No test cuts the power, so none
 * of them needs a disk.
 */

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

/** The folder in memory that Linux has. */
const shared = "/dev/shm";

/** The type of a file system in memory. Source: statfs(2), 2026-11-23. */
const tmpfsMagic = 0x01021994;

/**
 * How many bytes must be free in the folder, and in memory. A run of all suites keeps less than a
 * quarter of that; many containers have a folder of 64 MiB only.
 */
const freeMin = 6 * 1024 ** 3;

/**
 * Returns the folder in memory; null: the system has none, or it is too small.
 *
 * @param {string} [folder]
 * @returns {string | null}
 */
export function memoryFolder(folder = shared) {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    const isLarge = bavail * bsize >= freeMin && availableMemory() >= freeMin;
    return type === tmpfsMagic && isLarge ? folder : null;
  } catch {
    return null;
  }
}

/** Returns how many bytes of memory this process may still take, within the limit of a container. */
function availableMemory() {
  // Older versions of Node do not know the limit.
  return process.availableMemory?.() ?? freemem();
}

/**
 * Makes the temporary files of this process, and of those that it starts, files in memory where the
 * system has a folder for that. They are removed at the end, even when this process is killed.
 */
export function keepFilesInMemory() {
  const parent = memoryFolder();
  if (parent === null) return;
  const folder = mkdtempSync(join(parent, "tollgate-files-"));
  // Programs that run as another user, such as the workers of nginx, find their files in it.
  chmodSync(folder, 0o711);
  process.env["TMPDIR"] = folder;
  // The shell's input ends with this process.
  const script = `trap '' HUP INT QUIT TERM; cat >/dev/null; rm -rf "$1"`;
  const guard = spawn("sh", ["-c", script, "guard", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  // Safe cast: the pipe of a process is a socket.
  /** @type {import("node:net").Socket} */ (guard.stdin).unref();
}
