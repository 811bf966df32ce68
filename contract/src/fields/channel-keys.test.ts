import { expect, test } from "bun:test";
import { hintOfKey, nameOfJsonKey, readPastedKeys } from "./channel-keys.ts";

const texts = (text: string) => readPastedKeys(text).keys.map((key) => key.text);

test("O-137: each line is a key; blank lines and repetitions are named and left out", () => {
  const pasted = "sk-a\r\n\n  sk-b  \nsk-a\n\nsk-c\n\n";
  expect(readPastedKeys(pasted)).toMatchObject({
    keys: [
      { text: "sk-a", line: 1, isJson: false },
      { text: "sk-b", line: 3 },
      { text: "sk-c", line: 6 },
    ],
    duplicates: [{ line: 4, first: 1 }],
    blanks: 2,
    broken: [],
  });
  expect(readPastedKeys("").keys).toEqual([]);
  expect(readPastedKeys("").blanks).toBe(0);
});

test("O-138: a service account is one key, also among others and over several lines", () => {
  const account = JSON.stringify({ client_email: "a@b", private_key: "-{\n}-" }, null, 2);
  const { keys, broken } = readPastedKeys(`sk-a\n${account}\nsk-b\n{"project_id":"p"}`);
  expect(keys.map(({ isJson, line }) => ({ isJson, line }))).toEqual([
    { isJson: false, line: 1 },
    { isJson: true, line: 2 },
    { isJson: false, line: 6 },
    { isJson: true, line: 7 },
  ]);
  expect(broken).toEqual([]);
  expect(nameOfJsonKey(account)).toBe("a@b");
  expect(nameOfJsonKey('{"project_id":"p"}')).toBe("p");
  expect(nameOfJsonKey("sk-a")).toBe("");
});

test("a JSON document that is cut off is named by its line, and is not taken for keys", () => {
  expect(readPastedKeys('sk-a\n{"client_email": "a",\n"private_key": "x"')).toMatchObject({
    keys: [{ text: "sk-a" }],
    broken: [2],
  });
  expect(readPastedKeys('{"a": 1,}\nsk-b')).toMatchObject({
    keys: [{ text: "sk-b" }],
    broken: [1],
  });
});

test("a JSON array stands for the keys that it lists", () => {
  expect(texts('["sk-a", " sk-b ", {"project_id":"p"}]')).toEqual([
    "sk-a",
    "sk-b",
    '{"project_id":"p"}',
  ]);
  expect(texts("[not an array")).toEqual(["[not an array"]);
});

test("a key is shown by its ends, and a short one not at all", () => {
  expect(hintOfKey("sk-0123456789abcdef")).toBe("sk-0••••cdef");
  expect(hintOfKey("sk-0123456789")).toBe("••••");
});
