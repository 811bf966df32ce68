/** Lists the files of folders, and identifies their state, to see whether a build is up to date. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./bun.mjs";

/**
 * Hashes the sizes and times of all files that a build reads, because reading the contents of
 * 1,000 files would take longer. Includes the lock file, and no tests.
 *
 * @param {readonly string[]} folders
 * @param {readonly string[]} files
 */
export function fingerprint(folders, files) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  const sources = folders
    .flatMap((folder) => listFiles(join(root, folder)))
    .filter((path) => !/\.test\.tsx?$/.test(path));
  for (const path of ["package-lock.json", ...files].map((file) => join(root, file))) {
    sources.push(path);
  }
  for (const path of sources) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return `${hash.digest("hex")}\n`;
}

/**
 * Lists the files of a folder.
 *
 * @param {string} folder
 * @returns {string[]} the files in it at any depth, but for recorded fixtures and packages; none
 * when there is no such folder
 */
export function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return entry.name === "fixtures" || entry.name === "node_modules" ? [] : listFiles(path);
  });
}
