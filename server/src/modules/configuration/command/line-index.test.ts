import { describe, expect, test } from "bun:test";
import { indexLines } from "./line-index.ts";

const texts: readonly (readonly [
  name: string,
  text: string,
  places: Readonly<Record<string, number>>,
])[] = [
  ["maps in maps", "a:\n  b: 1\n\n  # c: no\n  d:\n    e: 2\n", { a: 1, "a/b": 2, "a/d/e": 6 }],
  ["a list as far in as its key", "a:\n- 1\n- 2\nb: 3\n", { "a/0": 2, "a/1": 3, b: 4 }],
  ["a list of maps", "a:\n  - x: 1\n    y: 2\n  - x: 3\n", { "a/0/y": 3, "a/1/x": 4 }],
  ["lists in lists", "a:\n  - - 1\n    - 2\n  - - 3\n", { "a/0/1": 3, "a/1/0": 4 }],
  ["a text of several lines", "a: |\n  b: 1\n  c: 2\nd: 3\n", { a: 1, d: 4 }],
  [
    "a flow map of several lines",
    "a: {\n  b: [1,\n    2],\n  c: { d: 1 } }\ne: 2\n",
    { "a/b/1": 3, "a/c/d": 4, e: 5 },
  ],
  ["keys in quotes", `"a.b": 1\n'c: d': { "e": 1 }\n`, { "a.b": 1, "c: d": 2, "c: d/e": 2 }],
  ["a text in quotes with a colon", 'a: "x: {y"\nb: 1\n', { b: 2 }],
  ["addresses", "a: http://x.y:1/z\nb: 1\n", { a: 1, b: 2 }],
  ["JSON", '{\n  "a": {\n    "b": [\n      { "c": 1 }\n    ]\n  }\n}\n', { "a/b/0/c": 4 }],
  ["Windows line ends", "a:\r\n  b: 1\r\nc: 2\r\n", { "a/b": 2, c: 3 }],
];

describe("the lines of keys", () => {
  for (const [name, text, places] of texts) {
    test(name, () => {
      const index = indexLines(text);
      expect(index.repeated).toEqual([]);
      for (const [path, line] of Object.entries(places)) {
        expect([path, index.lineOf(path.split("/"))]).toEqual([path, line]);
        expect(index.depthOf(path.split("/"))).toBe(path.split("/").length);
      }
    });
  }

  test("a key that stands twice is named, in blocks and in flow", () => {
    expect(indexLines("a:\n  b: 1\n  b: 2\n").repeated).toEqual([{ key: "b", line: 3 }]);
    expect(indexLines("a: { b: 1,\n b: 2 }\n").repeated).toEqual([{ key: "b", line: 2 }]);
  });

  test("what cannot be understood has the line of what is around it, and ends", () => {
    for (const text of ["", "a: {", "a: [[[[", "{{{{", "a: 'x", "- - -", ":", "{a", "a: |"]) {
      expect(indexLines(text).lineOf(["a", "b", "c"])).toBeGreaterThan(0);
    }
    expect(indexLines(`${"[".repeat(100_000)}`).lineOf(["a"])).toBe(1);
  });
});
