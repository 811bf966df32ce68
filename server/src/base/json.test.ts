import { expect, test } from "bun:test";
import { nestingMax, nestsTooDeep, parseExact, parseForeign } from "./json.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}1${"]".repeat(depth)}`;

test("JSON that nests too deep is no JSON, whatever it nests", () => {
  expect(parseForeign(nested(nestingMax))).toBeArray();
  for (const parse of [parseForeign, parseExact]) {
    expect(() => parse(nested(nestingMax + 1))).toThrow(SyntaxError);
    expect(() => parse(`{"a":1.0,"b":${nested(200_000)}}`)).toThrow(SyntaxError);
    expect(() => parse(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`)).toThrow(SyntaxError);
  }
});

test("brackets in texts do not nest, whatever is escaped there", () => {
  const brackets = "[{".repeat(100);
  for (const text of [brackets, `"${brackets}`, `\\"${brackets}\\`, `\\\\"${brackets}`]) {
    expect(parseForeign(JSON.stringify({ text, more: [text] }))).toEqual({ text, more: [text] });
  }
  expect(nestsTooDeep(`["\\"","${brackets}",[`)).toBeFalse();
  expect(nestsTooDeep(`["\\\\",${brackets}`)).toBeTrue();
  expect(nestsTooDeep(`"${"\\".repeat(100)}`)).toBeFalse();
});
