/** How the nouns of `modules/` depend on one another, by types as well. */

import type { SourceFile } from "./sources.ts";
import { circlesOf } from "./type-circles.ts";

const noun = /^server\/src\/modules\/([\w-]+)\//;
const imported = /from "#modules\/([\w-]+)\/[^"]+"/g;

/** Returns the nouns that each noun imports. */
export function readNouns(files: readonly SourceFile[]): Map<string, string[]> {
  const arrows = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const [, from] = noun.exec(path) ?? [];
    if (from === undefined) continue;
    const to = arrows.get(from) ?? new Set();
    for (const [, name = ""] of text.matchAll(imported)) to.add(name);
    to.delete(from);
    arrows.set(from, to);
  }
  return new Map([...arrows].map(([from, to]) => [from, [...to]]));
}

/** Lists the nouns that lie in a circle of nouns, sorted. */
export function findCircularNouns(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  return circlesOf(arrows).flat().toSorted();
}
