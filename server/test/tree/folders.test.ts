/** How many files folders hold. A failure message names the folder. */

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const top = join(import.meta.dir, "../../..");

/** Folders that have one file per entry of a list, so they grow with the list. */
const listsOfEntries = [
  "contract/src/endpoints",
  "server/src/db/migrations",
  "server/src/providers",
];

/**
 * Folders of one file that exist. A new file goes to a folder that there is, until a second one
 * shares its subject; what is left of these moves there too, so the list may only become shorter.
 */
const foldersOfOne: readonly string[] = [
  "server/src/base/process",
  "server/src/formats/shared/names",
  "server/src/formats/shared/tiers",
  "server/src/jobs",
  "web/src/page",
];

/** Folders that stand for an entry of a list, whatever they hold. */
const entryFolder =
  /^server\/src\/(formats|modules)\/[\w-]+$|^web\/src\/(features|widgets)\/[\w-]+$/;

/** Lists the product's sources: no tests, and no helpers of tests. */
function readProductPaths(): string[] {
  const pattern = "{bench,contract,demo,e2e,scripts,server,web}/**/*.{css,mjs,ts,tsx}";
  const paths = [...new Bun.Glob(pattern).scanSync(top)].filter(
    (path) =>
      !/(^|\/)(node_modules|fixtures|dist|testing)\/|^server\/test\/|\.(test|spec)\.tsx?$/.test(
        path,
      ),
  );
  expect(paths.length).toBeGreaterThan(500);
  return paths;
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

describe("folders", () => {
  // Files are hard to find among many: a large folder gets subfolders, a large feature is divided.
  test("no folder holds over 25 product files, and no feature of the console over 30", () => {
    const files = readProductPaths();
    const folders = countBy(files.map((path) => path.slice(0, path.lastIndexOf("/"))));
    const counted = [...folders].filter(([folder]) => !listsOfEntries.includes(folder));
    const crowded = counted.filter(([, count]) => count > 25).map(([folder]) => folder);
    expect(crowded).toEqual([]);
    // A warning in time: the next files of these folders belong into rooms of their own.
    const filling = counted.filter(([, count]) => count >= 20).toSorted(([, a], [, b]) => b - a);
    const named = filling.map(([folder, count]) => `${folder} (${count})`).join(", ");
    if (named !== "") process.stderr.write(`Folders with 20 files or more, of 25: ${named}\n`);

    const features = files.flatMap((path) => /^web\/src\/features\/[^/]+/.exec(path) ?? []);
    expect(features).not.toBeEmpty();
    expect([...countBy(features)].filter(([, count]) => count > 30)).toEqual([]);
  });

  // The demo is shipped: what only tests have an upstream answer stands in `server/test/upstreams`.
  test("the demo holds at most 5,500 lines", () => {
    const paths = [...new Bun.Glob("demo/src/**/*.ts").scanSync(top)];
    const lines = paths.map((path) => readFileSync(join(top, path), "utf8").split("\n").length - 1);

    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5_500);
    expect(lines.length).toBeGreaterThan(20);
  });

  // A folder of one file hides it and says nothing that its name does not.
  test("no folder holds one file alone but those listed", () => {
    const files = readProductPaths().filter((path) => /^[\w-]+\/src\/|^(bench|e2e)\//.test(path));
    const folders = countBy(files.map((path) => path.slice(0, path.lastIndexOf("/"))));
    const alone = [...folders.keys()].filter(
      (folder) =>
        folders.get(folder) === 1 &&
        !entryFolder.test(folder) &&
        ![...folders.keys()].some((other) => other.startsWith(`${folder}/`)),
    );

    expect(alone.toSorted(compareText)).toEqual([...foldersOfOne]);
  });
});
