import { expect, test } from "bun:test";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { Conversations, itemsAfter } from "./conversations.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const megabyte = 1024 * 1024;

function open(bytesMax = megabyte, budgetBytes = 64 * megabyte) {
  const budget = openByteBudget(budgetBytes);
  const all = { bytes: 0 };
  const kept = new Conversations({ budget, owner: "a" }, all, bytesMax);
  const grow = (count: number, items: string): void => {
    for (let turn = 1; turn <= count; turn += 1) {
      const before = turn === 1 ? null : kept.take(`r${turn - 1}`);
      kept.keep(`r${turn}`, before, bytesOf(items));
      kept.letGo(before);
    }
  };
  return { all, budget, kept, grow };
}

test("forks of a conversation share what came before them, which stays as long as one of them", () => {
  const { all, budget, kept } = open();
  kept.keep("a", null, bytesOf("1"));
  const a = kept.take("a");
  kept.keep("b", a, bytesOf("2,3"));
  kept.keep("c", a, bytesOf(""));
  kept.letGo(a);
  const [b, c] = [kept.take("b"), kept.take("c")];

  expect([textOf(itemsAfter(b, bytesOf("4"))), textOf(itemsAfter(c, bytesOf("4")))]).toEqual([
    "1,2,3,4",
    "1,4",
  ]);
  expect(all.bytes).toBe(budget.bytes);
  kept.free();
  kept.letGo(b);
  kept.letGo(c);
  expect([all.bytes, budget.bytes, budget.byOwner.size, kept.take("b")]).toEqual([0, 0, 0, null]);
});

test("of more responses than are kept the oldest are forgotten, and the last goes on whole", () => {
  const { all, grow, kept } = open();
  grow(100, "1");
  expect([kept.take("r36"), kept.take("r37")?.uses]).toEqual([null, 3]);
  expect(textOf(itemsAfter(kept.take("r100"), bytesOf(""))).length).toBe(199);
  const before = all.bytes;
  for (let count = 0; count < 70; count += 1) kept.keep(`other${count}`, null, bytesOf("1"));
  expect(all.bytes).toBeLessThan(before + 70 * 1_000);
});

test("a conversation without room is forgotten as a whole, and holds nothing", () => {
  const { all, budget, grow, kept } = open(10_000);
  grow(30, "x".repeat(1_000));
  expect(budget.bytes).toBeLessThanOrEqual(10_000);
  expect(all.bytes).toBe(budget.bytes);
  const { bytes } = budget;
  kept.keep("huge", null, new Uint8Array(20_000));
  expect([kept.take("huge"), budget.bytes, all.bytes]).toEqual([null, bytes, bytes]);
});

test("all conversations together hold a quarter of the budget, and one owner its share", () => {
  const { all, budget, grow } = open(100 * megabyte, 8 * megabyte);
  grow(60, "x".repeat(100_000));
  expect(all.bytes).toBeLessThanOrEqual(2 * megabyte);
  expect(all.bytes).toBe(budget.bytes);
});
