/** What must stay true of the relay's files, and of circles anywhere in the server. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readTree } from "./sources.ts";
import { findCircles } from "./type-circles.ts";

const product = readTree(join(import.meta.dir, "../../..")).filter(
  ({ path }) => path.startsWith("server/src/") && !/\.test\.ts$|\/testing\//.test(path),
);

/** How many files of each room may be in circles of imports, of types as well. */
const circularMax: Readonly<Record<string, number>> = {
  db: 5,
  formats: 4,
  http: 2,
  "modules/ledger": 2,
  "modules/logs": 5,
  "modules/notifications": 7,
  "modules/tasks": 5,
  network: 8,
  providers: 2,
};

function roomOf(path: string): string {
  return path
    .split("/")
    .slice(2, path.includes("/modules/") ? 4 : 3)
    .join("/");
}

describe("the tree", () => {
  // The linter sees circles of values; these are of types, too. The numbers may only become smaller.
  test("no files of the relay import one another in a circle, and few others do", () => {
    const counts = new Map<string, number>();
    for (const path of findCircles(product).flat()) {
      counts.set(roomOf(path), (counts.get(roomOf(path)) ?? 0) + 1);
    }

    expect(counts.size).toBeGreaterThan(0);
    expect([...counts].filter(([room, count]) => count > (circularMax[room] ?? 0))).toEqual([]);
  });

  test("no type is named by what was done to it, but by what it is", () => {
    const participles = /^(?:export )?type (Asked|Sent)\b(?! \w)/m;

    expect(product.filter(({ text }) => participles.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test("nobody but ways/ asks which kind of way a call goes", () => {
    const outside = product.filter(
      ({ path }) => path.includes("/relay/") && !path.includes("/relay/ways/"),
    );
    const asks =
      /(translated|converted|translation|conversion) [!=]== null|ways\/(converted|passed-on|translated)\.ts/;

    expect(outside.length).toBeGreaterThan(50);
    expect(outside.filter(({ text }) => asks.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
