import { expect, test } from "bun:test";
import { parseDecimalMap } from "@tollgate/contract/endpoints/prices.ts";
import { parseOption } from "@tollgate/contract/options/options.ts";
import { listOfPairs, mapOfPairs, pairsOfList, pairsOfMap } from "./map-pairs.ts";

test("decimals keep every digit in the two columns", () => {
  const json = '{\n  "default": 1,\n  "vip": 0.123456789012\n}';
  const pairs = pairsOfMap(json) ?? [];
  expect(pairs).toEqual([
    ["default", "1"],
    ["vip", "0.123456789012"],
  ]);
  expect(mapOfPairs(pairs, "decimalMap")).toBe(json);
});

test("an unfinished row is kept as it is, and refused when it is saved", () => {
  const cases: [[string, string][], string][] = [
    [[["vip", "abc"]], "不是数字"],
    [[["", "1"]], "名称长度"],
    [
      [
        ["vip", "1"],
        ["vip", "2"],
      ],
      "重复的名称",
    ],
  ];
  for (const [pairs, reason] of cases) {
    const parsed = parseDecimalMap(mapOfPairs(pairs, "decimalMap"));
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
  }
});

test("descriptions that look like numbers stay text", () => {
  expect(mapOfPairs([["vip", "1"]], "textMap")).toBe('{\n  "vip": "1"\n}');
});

test("A-200: chat links are a list of one-field objects, names may repeat", () => {
  const json = '[{"A": "https://a.example"}, {"A": "app://b?k={key}"}]';
  const pairs = pairsOfList(json) ?? [];
  expect(pairs).toEqual([
    ["A", "https://a.example"],
    ["A", "app://b?k={key}"],
  ]);
  expect(parseOption("Chats", listOfPairs(pairs))).toEqual(parseOption("Chats", json));
});

test("A-201: any other text has no columns", () => {
  for (const json of ["[", "{}", "[1]", '[{"a":"b","c":"d"}]', '[{"a":1}]', "[{}]"]) {
    expect(pairsOfList(json)).toBeUndefined();
  }
  expect(pairsOfMap("[")).toBeUndefined();
});
