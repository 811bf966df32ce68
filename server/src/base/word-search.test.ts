import { expect, test } from "bun:test";
import { openWordSearch } from "./word-search.ts";
import { seededRandom } from "./testing/random.ts";

test("a word is found anywhere in a text and in any letter case, in every script", () => {
  const search = openWordSearch(["Forbidden", "敏感词", "straße", "x", "ΟΔΟΣ"]);

  for (const text of [
    "forbidden",
    "quite FORBIDDEN fruit",
    "unforbiddenly",
    "这里有敏感词。",
    "die STRASSE",
    "der X-Faktor",
    "στην οδος",
  ]) {
    expect([text, search?.(text)]).toEqual([text, true]);
  }
  for (const text of ["", "forbid den", "敏 感词", "Ein Satz"]) {
    expect([text, search?.(text)]).toEqual([text, false]);
  }
});

test("a search for thousands of words finds what searches for each of them would", () => {
  const { pick } = seededRandom(7);
  const random = (length: number): string =>
    Array.from({ length }, () => pick(["a", "b", "c", "d", " "])).join("");
  const words = Array.from({ length: 3_000 }, (_, index) => random(6 + (index % 9)));
  const search = openWordSearch(words);

  const texts = Array.from({ length: 500 }, () => random(12));
  const found = texts.map((text) => search?.(text));
  expect(found).toEqual(texts.map((text) => words.some((word) => text.includes(word))));
  expect(new Set(found)).toEqual(new Set([true, false]));
});

test("an empty list of words gives no search", () => {
  expect(openWordSearch([])).toBeNull();
  expect(openWordSearch([""])).toBeNull();
});
