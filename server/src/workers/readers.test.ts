import { expect, test } from "bun:test";
import { eventually, staysTrue } from "#base/testing/waiting.ts";
import { TaskTooLong } from "#db/store-unavailable.ts";
import { openReaders, openRenewed, type Reader } from "./readers.ts";

/** A reader that answers a query with its own name when the test says so. */
function fakeReader(name: string) {
  const open: (() => void)[] = [];
  let closed = false;
  const reader: Reader = {
    async call(...[, query]) {
      await new Promise<void>((resolve) => open.push(resolve));
      return `${name} ${query}`;
    },
    async close() {
      closed = true;
    },
    waiting: () => open.length,
  };
  return {
    reader,
    isClosed: () => closed,
    waiting: reader.waiting,
    answer: () => open.shift()?.(),
  };
}

const usual = { busyMs: 1, idleMs: 60_000, aloneMs: 60_000 };

function openFakes(times = usual) {
  const first = fakeReader("first");
  const seconds: ReturnType<typeof fakeReader>[] = [];
  const starts: (() => void)[] = [];
  const readers = openReaders(
    first.reader,
    async () => {
      await new Promise<void>((resolve) => starts.push(resolve));
      const second = fakeReader("second");
      seconds.push(second);
      return second.reader;
    },
    times,
  );
  const ask = async (query: string): Promise<unknown> => await readers.call("n", query, []);
  return { first, seconds, starts, readers, ask };
}

test("a short query is answered while a long list is read", async () => {
  const { first, seconds, starts, ask } = openFakes();
  const list = ask("list");
  const short = ask("short");
  await eventually(() => starts.length === 1);
  expect(first.waiting()).toBe(1);
  starts[0]?.();
  await eventually(() => seconds[0]?.waiting() === 1);
  seconds[0]?.answer();
  expect(await short).toBe("second short");
  first.answer();
  expect(await list).toBe("first list");
});

test("queries do not wait for a second reader to start when the first is free", async () => {
  const { first, starts, ask } = openFakes({ ...usual, busyMs: 60_000, idleMs: 1 });
  const asked = [ask("1"), ask("2"), ask("3")];
  for (const expected of ["first 1", "first 2", "first 3"]) {
    await eventually(() => first.waiting() === 1);
    first.answer();
    expect(await asked.shift()).toBe(expected);
  }
  // Queries that are answered soon need no second reader, though they come at the same time.
  expect(starts).toHaveLength(0);
});

test("queries go on with the first reader when it is free before the second one has started", async () => {
  const { first, starts, ask } = openFakes();
  const asked = [ask("1"), ask("2")];
  await eventually(() => starts.length === 1);
  first.answer();
  await eventually(() => first.waiting() === 1);
  first.answer();
  expect(await Promise.all(asked)).toEqual(["first 1", "first 2"]);
});

test("queries one after the other start no second reader, and one that is idle ends", async () => {
  const { first, seconds, starts, ask, readers } = openFakes({ ...usual, idleMs: 1 });
  for (const query of ["1", "2"]) {
    const asked = ask(query);
    first.answer();
    await asked;
  }
  expect(starts).toHaveLength(0);

  for (const round of [0, 1]) {
    const long = ask("long");
    const short = ask("short");
    await eventually(() => starts.length === round + 1);
    starts[round]?.();
    await eventually(() => seconds[round]?.waiting() === 1);
    // A reader that has a query to answer is not idle, however long that takes.
    const isOpen = (): boolean => seconds[round]?.isClosed() === false;
    await staysTrue(isOpen, 20);
    seconds[round]?.answer();
    first.answer();
    expect(await Promise.all([long, short])).toEqual(["first long", "second short"]);
    await eventually(() => !isOpen());
  }
  await readers.close();
  expect(first.isClosed()).toBe(true);
});

test("all queries go to the first reader while no second one can be started, and none fails", async () => {
  const first = fakeReader("first");
  let starts = 0;
  const readers = openReaders(
    first.reader,
    async () => {
      starts += 1;
      throw new Error("too many connections");
    },
    usual,
  );
  const asked = ["1", "2", "3"].map(async (query) => await readers.call("n", query, []));
  await eventually(() => first.waiting() === 3);
  for (let answer = 0; answer < 3; answer += 1) first.answer();
  expect(await Promise.all(asked)).toEqual(["first 1", "first 2", "first 3"]);
  // Each start is a thread, so it is not tried again at once.
  expect(starts).toBe(1);
});

test("a reader that could not be started again is tried with the query after the one that failed", async () => {
  let canStart = true;
  let end = (): void => {};
  const made: ReturnType<typeof fakeReader>[] = [];
  const reader = await openRenewed(async (ended) => {
    if (!canStart) throw new Error("too many connections");
    end = ended;
    const opened = fakeReader(`thread ${made.length}`);
    made.push(opened);
    const call = async () => {
      if (made.length === 1) throw new TaskTooLong("ended");
      return `thread ${made.length}`;
    };
    return { ...opened.reader, call };
  });
  canStart = false;
  end();
  await expect(reader.call("n", "1", [])).rejects.toThrow("too many connections");
  await expect(reader.call("n", "2", [])).rejects.toThrow("too many connections");
  canStart = true;
  expect(await reader.call("n", "3", [])).toBe("thread 2");
});
