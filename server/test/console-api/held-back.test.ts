import { expect, test } from "bun:test";
import type { Store, StoreCall } from "#db/store.ts";
import type { Applied } from "#modules/ledger/journal/apply-records.ts";
import { booksClock, openBooks } from "#modules/ledger/journal/books.ts";
import { bookWord } from "#workers/book-words.ts";
import type { ToWorker } from "#workers/messages.ts";
import { openStoreClient } from "#workers/store-client.ts";
import { stores } from "#workers/stores.ts";

/** How long a call that does not wait may take to reach its worker, in milliseconds. */
const reachMs = 200;

/** The names of every store's functions, as the writer tells them. */
const functions = Object.fromEntries(
  Object.entries<Store>(stores).map(([noun, { reads, writes, pulses, singles, apart }]) => [
    noun,
    {
      reads: Object.keys(reads),
      writes: Object.keys({ ...writes, ...pulses, ...singles }),
      apart: Object.keys(apart ?? {}),
    },
  ]),
);

const every: readonly StoreCall[] = Object.entries(functions).flatMap(
  ([noun, { reads, writes, apart }]) =>
    [...reads, ...writes, ...apart].map((name) => ({ noun, name, input: [] })),
);

const nameOf = ({ noun, name }: Pick<StoreCall, "name" | "noun">): string => `${noun}.${name}`;

/** Opens the stores over workers that note what reaches them, with a record that is held back. */
async function openHeldBack() {
  const reached: string[] = [];
  const startWorker = (): Worker => {
    const worker = {
      onmessage: (_event: { readonly data: unknown }): void => {},
      onerror: null,
      postMessage(message: ToWorker) {
        const id = message.type === "open" ? 0 : message.id;
        if (message.type === "call" && message.name !== "together") reached.push(nameOf(message));
        if (message.type === "call" && message.name === "together") reached.push("together");
        const value = message.type === "open" ? { notices: [], functions } : null;
        setImmediate(() => worker.onmessage({ data: { id, ok: true, value } }));
      },
      terminate() {},
    };
    // Safe cast: the client uses nothing else of a worker.
    return worker as unknown as Worker;
  };
  const applied = Promise.withResolvers<Applied>();
  const books = openBooks(booksClock);
  books.open({
    recovered: undefined,
    apply: async () => await applied.promise,
    countRefused: async () => 0,
    tellRefused: async () => {},
    log: { error() {} },
  });
  books.note(1, 1);
  const client = await openStoreClient({ dialect: "sqlite", file: ":memory:" }, startWorker, {
    onDeath() {},
    onWritten() {},
    behindBooks: (kind) => (kind === "read" ? books.readBarrier() : books.barrier()),
  });
  return {
    client,
    reached,
    release: () => applied.resolve({ applied: 1, refused: 0 }),
    call: async ({ noun, name }: StoreCall): Promise<unknown> => {
      // Safe cast: the client has a function for each name that the writer told.
      const of = client as unknown as Record<string, Record<string, () => Promise<unknown>>>;
      return await of[noun]?.[name]?.();
    },
  };
}

test("no function of a store that has to do with the books runs before what was told is there", async () => {
  const { call, client, reached, release } = await openHeldBack();
  const calls = every.map(call);
  await Bun.sleep(reachMs);
  const beside = every.filter(({ noun, name }) => bookWord(noun, name) === "beside").map(nameOf);
  expect(reached.toSorted()).toEqual(beside.toSorted());
  release();
  await Promise.all(calls);
  expect(reached.toSorted()).toEqual(every.map(nameOf).toSorted());
  await client.close();
});

test("a transaction of several stores waits if one of them has to do with the books", async () => {
  const { client, reached, release } = await openHeldBack();
  const [of] = every.filter(({ noun, name }) => bookWord(noun, name) === "of");
  const [beside] = every.filter(({ noun, name }) => bookWord(noun, name) === "beside");
  if (of === undefined || beside === undefined) throw new Error("one kind is missing");
  await client.together([beside]);
  expect(reached).toEqual(["together"]);
  const both = client.together([beside, of]);
  await Bun.sleep(reachMs);
  expect(reached).toEqual(["together"]);
  release();
  await both;
  expect(reached).toEqual(["together", "together"]);
  await client.close();
});
