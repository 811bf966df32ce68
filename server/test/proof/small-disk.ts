/** A small file system in memory, to be filled by a test. */

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Mounts a file system of so many MB in memory at a folder. Only root may mount it; for other users
 * the proof fails and is not skipped.
 */
export function mountSmallDisk(folder: string, megabytes: number): void {
  const { exitCode, stderr } = Bun.spawnSync([
    "mount",
    "-t",
    "tmpfs",
    "-o",
    `size=${megabytes}m`,
    "tmpfs",
    folder,
  ]);
  if (exitCode === 0) return;
  rmSync(folder, { recursive: true });
  throw new Error(`this test mounts a small file system and needs root: ${stderr.toString()}`);
}

/** Takes the file system away, also when something still uses it, and removes its folder. */
export function unmountSmallDisk(folder: string): void {
  Bun.spawnSync(["umount", "-l", folder]);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Fills all space with a file. It writes until the disk refuses, because others write there, too.
 *
 * @returns the path of the file, to remove it.
 */
export function fillDisk(folder: string): string {
  const file = join(folder, "filler");
  const opened = openSync(file, "w");
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(opened, block);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(opened);
  }
  return file;
}
