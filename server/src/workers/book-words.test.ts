import { expect, test } from "bun:test";
import type { Store } from "#db/store.ts";
import { bookWord, wordedFunctions } from "./book-words.ts";
import { stores } from "./stores.ts";

test("no function of a store is without a word whether it waits for the books", () => {
  const functions = Object.entries<Store>(stores).flatMap(([noun, store]) => {
    const { reads, writes, pulses, singles, apart } = store;
    const names = Object.keys({ ...reads, ...writes, ...pulses, ...singles, ...apart });
    return names.map((name) => `${noun}.${name}`);
  });
  expect(functions.filter((each) => bookWord(...partsOf(each)) === undefined)).toEqual([]);
  // What is gone needs no word, and no function has two.
  expect(wordedFunctions().toSorted()).toEqual(functions.toSorted());
});

function partsOf(each: string): [noun: string, name: string] {
  const [noun = "", name = ""] = each.split(".");
  return [noun, name];
}
