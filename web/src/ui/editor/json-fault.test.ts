import { expect, test } from "bun:test";
import { findJsonFault } from "./json-fault.ts";
import { duplicateKeys, objectOfPairs, pairsOfObject } from "./pairs.ts";

test("valid JSON has no fault", () => {
  for (const text of ['{"a":[1,-2.5e3,true,null,"x\\n"]}', "[]", " {} ", '"é"', "0", "[[],{}]"]) {
    expect(findJsonFault(text)).toBeNull();
  }
});

test("a fault is reported where a person would look for it", () => {
  const cases: [text: string, line: number, column: number, kind: string][] = [
    ['{\n  "a": 1,\n}', 3, 1, "unexpected"],
    ['{"a" 1}', 1, 6, "unexpected"],
    ['{"a": tru}', 1, 7, "unexpected"],
    ["[1 2]", 1, 4, "unexpected"],
    ["[1,", 1, 4, "end"],
    ['{"a"', 1, 5, "end"],
    ["{a: 1}", 1, 2, "unexpected"],
    ['{\n"a": "x\n}', 2, 6, "string"],
    ['["\\q"]', 1, 2, "string"],
    ["01", 1, 1, "unexpected"],
    ["{} {}", 1, 4, "unexpected"],
    ["'a'", 1, 1, "unexpected"],
  ];
  for (const [text, line, column, kind] of cases) {
    expect(findJsonFault(text)).toMatchObject({ line, column, kind });
  }
});

test("a key that is repeated in one object is reported, in two objects it is not", () => {
  expect(findJsonFault('{"a": 1,\n "a": 2}')).toMatchObject({ line: 2, kind: "duplicate" });
  expect(findJsonFault('[{"a": 1}, {"a": 2}]')).toBeNull();
});

test("deeply nested and long texts get an answer", () => {
  expect(findJsonFault("[".repeat(5_000))).not.toBeNull();
  expect(findJsonFault(`"${"x".repeat(100_000)}"`)).toBeNull();
  expect(findJsonFault(`[${"1,".repeat(10_000)}1]`)).toBeNull();
});

test("both rows with the same key are reported; the last one is sent", () => {
  const rows = [
    ["a", "1"],
    ["b", "2"],
    ["a ", "3"],
    ["", "4"],
    ["", "5"],
  ] as const;
  expect([...duplicateKeys(rows)]).toEqual([0, 2]);
  expect(objectOfPairs(rows)).toEqual({ a: "3", b: "2" });
});

test("a key that every JavaScript object has is a key like others", () => {
  expect(objectOfPairs([["__proto__", "1"]])).toEqual(JSON.parse('{"__proto__":"1"}'));
  expect(pairsOfObject({ a: "x", b: 2 })).toEqual([
    ["a", "x"],
    ["b", "2"],
  ]);
});
