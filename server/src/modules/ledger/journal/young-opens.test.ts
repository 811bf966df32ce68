import { expect, test } from "bun:test";
import type { Operation } from "#modules/ledger/operations.ts";
import { noPace, openQueue } from "#modules/ledger/queue.ts";
import { facts, settle } from "#modules/ledger/testing/books.ts";

const soon = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Opens a queue whose rows go with others from an age of 5 ms on, and by themselves at 20 ms. */
function openPaced() {
  const sent: string[][] = [];
  let nowMs = 1_000;
  let timer: { readonly atMs: number; readonly over: () => void } | undefined;
  const queue = openQueue({
    nodeId: "n",
    epoch: () => 1,
    rejoin: async () => {},
    async send({ operations }) {
      sent.push(operations.map((one) => `${one.type} ${one.type === "open" ? one.facts.id : ""}`));
      return { kind: "committed", results: operations.map(() => ({ type: "done" })) };
    },
    pace: { ...noPace, youngMs: 5, aloneMs: 20 },
    elapsed: () => nowMs,
    wait: (ms) => new Promise((over) => void (timer = { atMs: nowMs + ms, over })),
    onRefused: () => {},
    onStoreState: () => {},
  });
  return {
    queue,
    sent,
    async pass(ms: number) {
      nowMs += ms;
      if (timer !== undefined && timer.atMs <= nowMs) timer.over();
      await soon();
    },
  };
}

const open = (id: string): Operation => ({ type: "open", facts: facts({ id }), amount: 1 });

test("the row of a call that lasts has no commit of its own while other calls end", async () => {
  const { queue, sent, pass } = openPaced();
  void queue.push(open("old"));
  await pass(6);
  void queue.push(open("young"));
  void queue.push(settle(3, { id: "other" }));
  await soon();
  expect(sent).toEqual([["settle ", "open old"]]);
});

test("a call that is alone has its row after 20 ms, so that a crash does not hide it", async () => {
  const { queue, sent, pass } = openPaced();
  void queue.push(open("first"));
  await pass(10);
  void queue.push(open("second"));
  await pass(9);
  expect(sent).toEqual([]);
  await pass(1);
  expect(sent).toEqual([["open first", "open second"]]);
  void queue.push(open("third"));
  await pass(19);
  expect(sent).toHaveLength(1);
  await pass(1);
  expect(sent[1]).toEqual(["open third"]);
});
