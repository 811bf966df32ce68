/** What must stay true of the relay's files. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readTree } from "./sources.ts";

const product = readTree(join(import.meta.dir, "../../..")).filter(
  ({ path }) => path.startsWith("server/src/") && !/\.test\.ts$|\/testing\//.test(path),
);

describe("the tree", () => {
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
