import { expect, test } from "bun:test";
import { openTokenizer } from "./tokenizer-client.ts";

/** Counts the characters of a text, and never ends with one that has the word "stuck". */
const program = `self.onmessage = ({ data }) => {
  while (data.text.includes("stuck"));
  if (data.text.includes("deadly")) throw new Error("deadly");
  self.postMessage({ id: data.id, tokens: data.text.length });
};`;

const url = URL.createObjectURL(new Blob([program], { type: "application/javascript" }));

function open(limits: { readonly first: number; readonly later: number }) {
  let started = 0;
  const tokenizer = openTokenizer(() => {
    started += 1;
    return new Worker(url);
  }, limits);
  return { tokenizer, started: () => started };
}

test("a text that is never counted costs no other one, and another worker goes on", async () => {
  const { tokenizer, started } = open({ first: 2_000, later: 1_000 });
  expect(await tokenizer.count("m", "warm")).toBe(4);
  const all = ["a", "stuck", "bb", "ccc"].map((text) => tokenizer.count("m", text));

  expect(await Promise.all(all)).toEqual([1, null, 2, 3]);
  expect(await tokenizer.count("m", "dddd")).toBe(4);
  expect(started()).toBe(2);
  tokenizer.close();
});

test("a text that ends the worker costs no other one", async () => {
  const { tokenizer, started } = open({ first: 2_000, later: 1_000 });
  const all = ["a", "deadly", "bb"].map((text) => tokenizer.count("m", text));

  expect(await Promise.all(all)).toEqual([1, null, 2]);
  expect(started()).toBe(2);
  tokenizer.close();
});

test("a worker that is kept by a text nobody waits for any more is replaced, too", async () => {
  const { tokenizer } = open({ first: 3_500, later: 3_500 });

  expect(await tokenizer.count("m", "stuck")).toBeNull();
  expect(await tokenizer.count("m", "aa")).toBe(2);
  tokenizer.close();
}, 20_000);
