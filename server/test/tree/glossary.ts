/** Compares the names of files and exports with the words that the glossary forbids. */

import { basename } from "node:path";
import { exportedNames, type SourceFile } from "./sources.ts";

type Ruled = { readonly word: string; readonly instead: string };

/** Reads the forbidden words, which are in the last column of each table of the glossary. */
export function readRuledOut(glossary: string): Ruled[] {
  return [...glossary.matchAll(/^\| \*\*(.+?)\*\*(.*?) *\|.*\| *(.*?) *\|$/gm)].flatMap(
    ([, name = "", more = "", words = ""]) =>
      words
        .split(/, */)
        .filter((word) => word !== "–" && word !== "")
        .map((word) => ({ word, instead: `${name}${more}`.replaceAll("*", "") })),
  );
}

/** Finds every name that contains a forbidden word, with the word to use instead. */
export function findRuledOut(sources: readonly SourceFile[], ruled: readonly Ruled[]): string[] {
  return sources
    .flatMap(({ path, text }) => {
      const file = basename(path).replace(/\.\w+$/, "");
      const folders = path.split("/").slice(2, -1);
      return [...folders, file, ...exportedNames(text)].flatMap((name) =>
        ruled
          .filter(({ word }) => hasWords(name, word))
          .map(({ word, instead }) => `${path} ${name}: not "${word}" but "${instead}"`),
      );
    })
    .toSorted();
}

/**
 * Whether a camelCase or kebab-case name contains the wanted words one after another, also in the
 * plural.
 */
function hasWords(name: string, wanted: string): boolean {
  const words = wordsOf(name);
  const parts = wordsOf(wanted);
  return words.some((_, at) =>
    parts.every((part, index) => [part, `${part}s`].includes(words[at + index] ?? "")),
  );
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
