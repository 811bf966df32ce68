/** Lists the files of a folder. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

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
