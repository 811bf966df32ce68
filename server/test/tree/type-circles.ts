/** Circles of files that import one another, by types as well, which the linter does not see. */

import { dirname, join } from "node:path";
import type { SourceFile } from "./sources.ts";

const imported = /from "([.#][^"]+)"/g;

/** Finds the circles among files of `server/src`; each is the sorted list of its files. */
export function findCircles(files: readonly SourceFile[]): string[][] {
  const known = new Set(files.map(({ path }) => path));
  const arrows = new Map(
    files.map(({ path, text }) => [
      path,
      [...text.matchAll(imported)]
        .map(([, name = ""]) =>
          name.startsWith("#") ? `server/src/${name.slice(1)}` : join(dirname(path), name),
        )
        .filter((name) => known.has(name)),
    ]),
  );
  return circlesOf(arrows);
}

/** Finds the circles of a graph; each is the sorted list of its names. The algorithm is Tarjan's. */
export function circlesOf(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  function visit(path: string): void {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    open.push(path);
    for (const next of arrows.get(path) ?? []) {
      if (!order.has(next)) visit(next);
      if (!open.includes(next)) continue;
      lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) circles.push(circle.toSorted());
  }

  for (const path of arrows.keys()) if (!order.has(path)) visit(path);
  return circles;
}
