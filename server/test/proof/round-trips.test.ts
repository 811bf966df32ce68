import { afterAll, beforeAll, expect, test } from "bun:test";
import { type OpenDatabase, openDatabase } from "#db/connection.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import {
  applyAs,
  closeTestBooks,
  epochOf,
  openTestBooks,
  release,
  settle,
  take,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import {
  rechargedColumns,
  rechargeOf,
  rerateCharges,
} from "#modules/ledger/rerate/rerate-charges.ts";
import { type PostgresProxy, startPostgresProxy } from "./postgres-proxy.ts";

let books: TestBooks;
let proxy: PostgresProxy;
let far: OpenDatabase;
beforeAll(async () => {
  books = await openTestBooks("postgres");
  const { address } = books;
  if (address.dialect !== "postgres") throw new Error("the test needs PostgreSQL");
  proxy = await startPostgresProxy(address.url);
  far = openDatabase({ dialect: "postgres", url: proxy.url }, "writer");
  const userId = await books.addUser("alice", 1_000);
  await books.addToken(userId, "laptop", 1_000);
  // Connects, and lets the node join.
  await epochOf(far.db, "node-1");
  // The answers of a distant server: whatever does not wait for them is on its way before they come.
  proxy.delayAnswers(20);
});
afterAll(async () => {
  await far.close();
  proxy.stop();
  await closeTestBooks();
});

const call = { userId: 1, tokenId: 1, tokenLimited: true };

/** Returns the round trips that a batch of its own takes, without the one that reads the epoch. */
async function tripsOf(operations: readonly Operation[]): Promise<number> {
  const before = proxy.roundTrips();
  await applyAs(far.db, "node-1", operations);
  return proxy.roundTrips() - before - 1;
}

test("a call that shares its batches with no other one waits for four round trips to PostgreSQL", async () => {
  expect(await tripsOf([take(40, { ...call, id: "alone" })])).toBe(2);
  expect(await tripsOf([settle(30, { ...call, id: "alone" })])).toBe(2);
  expect(await books.readUser(1)).toEqual({ balance: 970, held: 0, used: 30 });
});

test("calls that share a batch share its round trips", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `shared ${index}`);
  expect(await tripsOf(ids.map((id) => take(5, { ...call, id })))).toBe(2);
  const [first = "", ...others] = ids;
  const ends = [release({ ...call, id: first }), ...others.map((id) => settle(5, { ...call, id }))];
  expect(await tripsOf(ends)).toBe(2);
  expect(await books.readUser(1)).toMatchObject({ held: 0, balance: 970 - 45 });
});

test("a statement that fails behind others undoes them, although the commit was sent with them", async () => {
  const before = await books.readUser(1);
  // The database refuses a second entry of the same call.
  const again = settle(1, { ...call, id: "alone" });
  await expect(applyAs(far.db, "node-1", [again])).rejects.toThrow("entries");
  expect(await books.readUser(1)).toEqual(before);
  // The connection is as good as before.
  expect(await tripsOf([take(1, { ...call, id: "next" })])).toBe(2);
});

test("many past calls are charged again in as many round trips to PostgreSQL as few", async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `past ${index}`);
  await applyAs(
    far.db,
    "node-1",
    ids.map((id) => take(5, { ...call, id })),
  );
  await applyAs(
    far.db,
    "node-1",
    ids.map((id) => settle(5, { ...call, id })),
  );
  const rows = await far.db
    .selectFrom("logs")
    .select([...rechargedColumns])
    .where("request_id", "in", ids)
    .execute();
  expect(rows).toHaveLength(40);
  const { balance } = await books.readUser(1);
  const tripsFor = async (rerateId: number, count: number): Promise<number> => {
    const charges = rows
      .splice(0, count)
      .map((row, at) => rechargeOf(row, 5, at % 2 === 0 ? 7 : 4));
    const most = new Map([[1, 100]]);
    const given = { rerateId, charges, most, mayOwe: false, nowMs: Date.now() };
    const before = proxy.roundTrips();
    await far.db.transaction().execute(async (tx) => await rerateCharges(tx, given));
    return proxy.roundTrips() - before;
  };
  const few = await tripsFor(1, 4);
  expect(await tripsFor(2, 36)).toBe(few);
  // Of each two calls one costs two more, and the other one less.
  expect(await books.readUser(1)).toMatchObject({ balance: balance - 20 });
});
