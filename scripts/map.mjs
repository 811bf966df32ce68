/**
 * `npm run map` prints the tree of the product, each file with the first sentence of its opening
 * comment. `npm run map -- server/src/relay` prints one folder, `-- hold` all files with the word.
 */

import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isStarted, root } from "./bun.mjs";
import { listFiles } from "./files.mjs";

const folders = ["bench", "contract", "demo", "e2e", "scripts", "server", "web"];

/** Folders whose files are entries of one list, so that name or label says what each is. */
const entries = [
  { folder: "server/src/providers/", name: /^ {2}label: "(.+)",$/m },
  { folder: "server/src/db/migrations/", name: null },
];

/**
 * Lists the source files of the product: no tests, no helpers of tests.
 *
 * @returns {{ path: string, head: string }[]} sorted by path; the head is empty where a file says
 * nowhere what it is for
 */
export function readMap() {
  return folders
    .flatMap((folder) => listFiles(join(root, folder)))
    .map((path) => relative(root, path).split(sep).join("/"))
    .filter(isProduct)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((path) => ({ path, head: headOf(path, readFileSync(join(root, path), "utf8")) }));
}

/** @param {string} path */
function isProduct(path) {
  return (
    /\.(css|mjs|ts|tsx)$/.test(path) &&
    !/\.(test|spec)\.tsx?$|(^|\/)(testing|fixtures|dist)\/|^server\/test\//.test(path)
  );
}

/**
 * Returns the first sentence of the comment that a file begins with, or else of the first docstring
 * of what it exports. An entry of a list has its label, or the words of its name.
 *
 * @param {string} path
 * @param {string} text
 */
function headOf(path, text) {
  const opening = /^(?:\/\*\*?|\/\/)\s*([\s\S]*?)(?:\*\/|\n\n)/.exec(text)?.[1];
  const docstring = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export /.exec(text)?.[1];
  const comment = opening ?? docstring;
  if (comment !== undefined) return firstSentence(comment);
  const entry = entries.find(({ folder }) => path.startsWith(folder));
  if (entry === undefined) return "";
  const name = path.slice(entry.folder.length).replace(/^[\d-]+|\.ts$/g, "");
  return entry.name?.exec(text)?.[1] ?? name.replaceAll("-", " ");
}

/** @param {string} comment */
function firstSentence(comment) {
  const words = comment
    .replaceAll(/^\s*(\*|\/\/) ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return /^.*?[.?](?= |$)/.exec(words)?.[0] ?? words;
}

/**
 * Prints files as a tree.
 *
 * @param {readonly { path: string, head: string }[]} files
 */
function printTree(files) {
  /** @type {readonly string[]} */
  let above = [];
  for (const { path, head } of files) {
    const folders = path.split("/").slice(0, -1);
    const changed = folders.findIndex((name, depth) => name !== above[depth]);
    for (let depth = changed; depth >= 0 && depth < folders.length; depth += 1) {
      process.stdout.write(`${"  ".repeat(depth)}${folders[depth]}/\n`);
    }
    above = folders;
    const name = path.slice(path.lastIndexOf("/") + 1);
    process.stdout.write(`${"  ".repeat(folders.length)}${name}  ${head}\n`);
  }
}

if (isStarted(import.meta.url)) {
  const wanted = (process.argv[2] ?? "").toLowerCase();
  printTree(readMap().filter(({ path, head }) => `${path} ${head}`.toLowerCase().includes(wanted)));
}
