import { expect, test } from "bun:test";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import type { Applied } from "./apply-records.ts";
import { booksClock, booksRoom, openBooks } from "./books.ts";

/** Opens books over a stand-in for the database: the test answers each group. */
function openTestBooks() {
  let elapsed = 1_000;
  const groups: {
    readonly upTo: number;
    readonly apart: boolean;
    readonly answer: PromiseWithResolvers<Applied>;
  }[] = [];
  const errors: string[] = [];
  const told: number[] = [];
  const books = openBooks({ ...booksClock, elapsed: () => elapsed });
  books.open({
    recovered: undefined,
    apply: (upTo, apart) => {
      const answer = Promise.withResolvers<Applied>();
      groups.push({ upTo, apart, answer });
      return answer.promise;
    },
    countRefused: async () => 3,
    tellRefused: async (count) => void told.push(count),
    log: { error: (_: unknown, text?: string) => void errors.push(text ?? "") },
  });
  const soon = async (): Promise<void> =>
    await new Promise((resolve) => void setImmediate(resolve));
  return {
    books,
    groups,
    errors,
    told,
    soon,
    pass: (ms: number) => void (elapsed += ms),
    read: (name: string) => books.gauges.find((gauge) => gauge.name === name)?.read(),
    async apply(answer: Error | Partial<Applied> = {}) {
      const group = groups.at(-1);
      if (group === undefined) throw new Error("nothing was to be applied");
      if (answer instanceof Error) group.answer.reject(answer);
      else group.answer.resolve({ applied: group.upTo, refused: 0, ...answer });
      await soon();
    },
  };
}

/** Tells whether a promise is settled. */
async function isOver(promise: Promise<void> | undefined): Promise<boolean> {
  const open = Symbol("open");
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}

test("who asks for the books waits for what was committed before, and for nothing after it", async () => {
  const { books, groups, soon, apply } = openTestBooks();
  expect(books.barrier()).toBeUndefined();
  books.note(1, 5);
  const first = books.barrier();
  const second = books.barrier();
  await soon();
  // One group for all who wait.
  expect(groups.map(({ upTo }) => upTo)).toEqual([1]);
  books.note(2, 5);
  expect(await isOver(first)).toBeFalse();
  await apply();
  await first;
  await second;
  const third = books.barrier();
  await soon();
  expect(groups.map(({ upTo }) => upTo)).toEqual([1, 2]);
  await apply();
  await third;
  expect(books.barrier()).toBeUndefined();
});

test("records get into the books by groups of about a hundred calls", async () => {
  const { books, groups, soon, apply, read } = openTestBooks();
  books.note(1, 60);
  books.note(2, 30);
  await soon();
  expect(groups).toEqual([]);
  books.note(3, 30);
  await soon();
  expect(groups.map(({ upTo }) => upTo)).toEqual([2]);
  expect(read("tollgate_ledger_unapplied")).toBe(120);
  await apply();
  expect(read("tollgate_ledger_unapplied")).toBe(30);
});

test("a call that runs alone does not wait for a whole group before it", async () => {
  const { books, groups, soon, apply, read } = openTestBooks();
  for (let seq = 1; seq < 50; seq += 1) books.note(seq, 1);
  await soon();
  expect(groups).toEqual([]);
  for (let seq = 50; seq <= 70; seq += 1) books.note(seq, 1);
  await soon();
  expect(groups.map(({ upTo }) => upTo)).toEqual([50]);
  await apply();
  expect(read("tollgate_ledger_unapplied")).toBe(20);
});

test("so much or so old is not in the books that the next record waits", async () => {
  const { books, apply, pass, soon } = openTestBooks();
  books.note(1, booksRoom.calls - 1);
  expect(books.room()).toBeUndefined();
  books.note(2, 1);
  const room = books.room();
  await soon();
  expect(await isOver(room)).toBeFalse();
  await apply();
  await apply();
  await room;
  books.note(3, 1);
  pass(booksRoom.ms);
  const late = books.room();
  expect(late).toBeDefined();
  await soon();
  await apply();
  await late;
});

test("a store that does not commit is tried again, and nobody is told that the books are complete", async () => {
  const { books, groups, apply, errors, soon } = openTestBooks();
  books.note(1, 1);
  const waiting = books.barrier();
  await soon();
  await apply(new StoreUnavailable("away"));
  expect(await isOver(waiting)).toBeFalse();
  // The pause before it is tried again.
  await Bun.sleep(250);
  expect(groups.map(({ apart }) => apart)).toEqual([false, false]);
  await apply();
  await waiting;
  expect(errors).toEqual([]);
});

test("while the store does not commit, readers see what is there, and nothing is written behind it", async () => {
  const { books, apply, pass, soon } = openTestBooks();
  books.note(1, 1);
  const writing = books.barrier()?.catch((error: unknown) => error);
  const reading = books.readBarrier();
  await soon();
  pass(1_100);
  await apply(new StoreUnavailable("away"));
  await Bun.sleep(250);
  await reading;
  expect(await writing).toBeInstanceOf(StoreUnavailable);
  // Who comes later need not wait.
  await books.readBarrier();
  expect(await books.barrier()?.catch((error: unknown) => error)).toBeInstanceOf(StoreUnavailable);
  await apply();
  expect(books.barrier()).toBeUndefined();
});

test("a group that the database refuses is taken apart, and told", async () => {
  const { books, groups, apply, errors, told, read, soon } = openTestBooks();
  books.note(1, 1);
  const waiting = books.barrier();
  await soon();
  await apply(new Error("no such user"));
  expect(groups.map(({ apart }) => apart)).toEqual([false, true]);
  await apply({ refused: 1 });
  await waiting;
  expect(errors).toHaveLength(1);
  expect(told).toEqual([1]);
  expect(read("tollgate_ledger_refused")).toBe(1);
  await books.recount();
  expect(read("tollgate_ledger_refused")).toBe(3);
});

test("records of several epochs and of a database that went back do not hold anybody up", async () => {
  const { books, groups, apply, soon } = openTestBooks();
  books.note(7, 1);
  // The database has gone back, and the node has begun to count anew.
  books.note(3, 1);
  const waiting = books.barrier();
  await soon();
  await apply({ applied: 2 });
  await apply({ applied: 3 });
  // No more is there.
  await apply({ applied: 3 });
  await waiting;
  expect(groups.map(({ upTo }) => upTo)).toEqual([7, 7, 7]);
});
