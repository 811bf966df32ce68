import { expect, test } from "bun:test";
import { nestingMax, nestsTooDeep, parseExact, parseForeign, parseMoved } from "./json.ts";

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

test("numbers keep their spelling inside an object that is only moved, and are numbers elsewhere", () => {
  const moved = (text: string) => JSON.stringify(parseMoved(text, (key) => key === "input"));
  for (const [text, read] of [
    ['{"input":{"a":1.0},"b":2.0}', '{"input":{"a":1.0},"b":2}'],
    ['{"b":2.0,"input" :\n {"a":[{"c":1.0}]},"d":3.0}', '{"b":2,"input":{"a":[{"c":1.0}]},"d":3}'],
    ['{"\\u0069nput":{"a":1.0}}', '{"input":{"a":1.0}}'],
    ['{"input":{"a":{"input":{}},"b":1.0}}', '{"input":{"a":{"input":{}},"b":1.0}}'],
    [
      '{"input":[1.0,{"a":1.0}],"text":"input","a":{"b":1.0}}',
      '{"input":[1,{"a":1}],"text":"input","a":{"b":1}}',
    ],
    ['{"input":{},"a":{"b":1.0}}', '{"input":{},"a":{"b":1}}'],
  ] as const) {
    expect(moved(text)).toBe(read);
  }
});
