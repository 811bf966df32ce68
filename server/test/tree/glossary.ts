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

/** Reads the glossary's names of several words, which may have a word that is forbidden by itself. */
function readTerms(glossary: string): string[] {
  const names = [...glossary.matchAll(/\*\*(.+?)\*\*/g)].map(([, name = ""]) => name);
  return names.filter((name) => wordsOf(name).length > 1);
}

/**
 * Finds every name that contains a word that the glossary forbids, with the word to use instead. In
 * the glossary's own names of several words, such a word is right.
 */
export function findRuledOut(sources: readonly SourceFile[], glossary: string): string[] {
  const ruled = readRuledOut(glossary);
  const rules = ruled.map(({ word, instead }) => ({ word, instead, parts: wordsOf(word) }));
  const allowed = readTerms(glossary).map(wordsOf);
  return sources
    .flatMap(({ path, text }) => {
      const file = basename(path).replace(/\.\w+$/, "");
      const folders = path.split("/").slice(2, -1);
      return [...folders, file, ...exportedNames(text)].flatMap((name) => {
        const words = wordsOf(name);
        const found = rules.filter(({ parts }) => hasWords(words, parts));
        if (found.length === 0) return [];
        const rest = withoutTerms(words, allowed);
        return found
          .filter(({ parts }) => hasWords(rest, parts))
          .map(({ word, instead }) => `${path} ${name}: not "${word}" but "${instead}"`);
      });
    })
    .toSorted();
}

/** Replaces the words of each term in a name by one that no rule has. */
function withoutTerms(words: readonly string[], terms: readonly (readonly string[])[]): string[] {
  const rest = [...words];
  for (const term of terms) {
    for (let at = 0; at < words.length; at += 1) {
      if (beginsAt(words, at, term)) rest.fill("-", at, at + term.length);
    }
  }
  return rest;
}

/** Whether a name contains the wanted words one after another, also in the plural. */
function hasWords(words: readonly string[], wanted: readonly string[]): boolean {
  return words.some((_, at) => beginsAt(words, at, wanted));
}

function beginsAt(words: readonly string[], at: number, wanted: readonly string[]): boolean {
  return wanted.every((part, index) => [part, `${part}s`].includes(words[at + index] ?? ""));
}

/** Returns the words of a camelCase or kebab-case name. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
