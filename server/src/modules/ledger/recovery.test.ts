import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { beat, findDeadNodes, nodeDeadMs, removeNodes } from "./nodes.ts";
import { findSumFlaw } from "./proof-sums.ts";
import { releaseInterrupted } from "./recovery.ts";
import {
  applyAs,
  closeTestBooks,
  facts,
  openTestBooks,
  settle,
  setUpMs,
  take,
  type TestBooks,
} from "./testing/books.ts";

afterEach(closeTestBooks);

/** Alice with 1,000 and a token of 300, and three calls of `dead`, one of them of `alive`. */
async function openInterrupted(dialect: "postgres" | "sqlite"): Promise<TestBooks> {
  const books = await openTestBooks(dialect);
  await books.addUser("alice", 1_000);
  await books.addToken(1, "laptop", 300);
  const open = (id: string) =>
    dialect === "postgres"
      ? take(100, { id })
      : ({ type: "open", facts: facts({ id }), amount: 100 } as const);
  await applyAs(books.db, "dead", [open("a"), open("b")]);
  await applyAs(books.db, "alive", [open("c")]);
  return books;
}

const release = async ({ db }: TestBooks, nodes = ["dead"], atMs = setUpMs + 2_900) =>
  await db.transaction().execute(async (tx) => await releaseInterrupted(tx, nodes, atMs));

async function readEverything({ db }: TestBooks) {
  return {
    logs: await db.selectFrom("logs").selectAll().orderBy("id").execute(),
    reservations: await db.selectFrom("reservations").selectAll().execute(),
    balances: await db.selectFrom("balances").selectAll().execute(),
    tokens: await db.selectFrom("token_balances").selectAll().execute(),
    entries: await db.selectFrom("entries").selectAll().execute(),
    counters: await db.selectFrom("counters").selectAll().execute(),
  };
}

for (const dialect of testDialects) {
  describe(`what a dead node left on ${dialect}`, () => {
    test("is given back, charged 0 and logged as interrupted", async () => {
      const books = await openInterrupted(dialect);
      expect(await release(books)).toBe(2);

      const held = dialect === "postgres" ? 100 : 0;
      expect(await books.readUser(1)).toEqual({ balance: 1_000, held, used: 0 });
      expect(await books.readToken(1)).toMatchObject({ remain: 300, held });
      const { logs, reservations, entries } = await readEverything(books);
      expect(reservations.map(({ id }) => id)).toEqual(["c"]);
      expect(entries).toHaveLength(1);
      expect(logs).toMatchObject(
        ["a", "b"].map((request_id) => ({
          request_id,
          type: 5,
          quota: 0,
          user_id: 1,
          username: "alice",
          token_id: 1,
          token_name: "laptop",
          model_name: "gpt-4o",
          group: "default",
          created_at: setUpMs / 1_000 + 2,
          use_time: 2,
        })),
      );
    });

    test("I8: is released once; a second recovery changes no row", async () => {
      const books = await openInterrupted(dialect);
      await release(books);
      const after = await readEverything(books);

      expect(await release(books)).toBe(0);
      expect(await release(books, [])).toBe(0);
      expect(await readEverything(books)).toEqual(after);
    });

    test("is released 500 calls at a time", async () => {
      const books = await openInterrupted(dialect);
      for (let batch = 0; batch < 6; batch += 1) {
        const opens = Array.from(
          { length: 100 },
          (_, index) =>
            ({ type: "open", facts: facts({ id: `${batch}-${index}` }), amount: 0 }) as const,
        );
        await applyAs(books.db, "dead", opens);
      }
      expect([await release(books), await release(books), await release(books)]).toEqual([
        500, 102, 0,
      ]);
    });

    test("is nothing but what it held: a call that was settled is not touched", async () => {
      const books = await openInterrupted(dialect);
      await applyAs(books.db, "dead", [settle(30, { id: "a", charged: 30 })]);
      expect(await release(books)).toBe(1);
      expect(await books.readUser(1)).toMatchObject({ balance: 970, used: 30 });
      const { logs } = await readEverything(books);
      expect(logs.map(({ request_id, type }) => [request_id, type])).toEqual([
        ["a", 2],
        ["b", 5],
      ]);
    });
  });
}

if (testDialects.includes("postgres")) {
  describe("nodes that recover a third one at the same time", () => {
    test("give back what it held once", async () => {
      const books = await openInterrupted("postgres");
      const released = await Promise.all([release(books), release(books), release(books)]);

      expect(released.toSorted()).toEqual([0, 0, 2]);
      expect(await books.readUser(1)).toMatchObject({ held: 100 });
      expect((await readEverything(books)).logs).toHaveLength(2);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    // It was only slow, and taken for dead.
    test("and one that settles a call of its own meanwhile keep the books right", async () => {
      const books = await openInterrupted("postgres");
      const [, settled] = await Promise.all([
        release(books),
        applyAs(books.db, "dead", [settle(30, { id: "a" }), settle(40, { id: "b" })]),
        release(books),
      ]);

      expect(settled).toMatchObject([{ charged: 30 }, { charged: 40 }]);
      expect(await books.readUser(1)).toEqual({ balance: 930, held: 100, used: 70 });
      expect(await findSumFlaw(books.db)).toBeNull();
    });
  });
}

const at = 1_000_000;

if (testDialects.includes("postgres")) {
  describe("a node is taken for dead", () => {
    test("when it was silent for ten seconds in which another one was not", async () => {
      const { db } = await openTestBooks("postgres");
      await beat(db, "silent", at);
      for (let ms = 0; ms <= nodeDeadMs; ms += 2_000) await beat(db, "watching", at + ms);
      expect(await findDeadNodes(db, "watching", at + nodeDeadMs)).toEqual([]);
      expect(await findDeadNodes(db, "watching", at + nodeDeadMs + 1)).toEqual(["silent"]);
      expect(await findDeadNodes(db, "silent", at + nodeDeadMs + 1)).toEqual([]);
    });

    // Nobody could renew anything while the database was away: the first to be back must not take
    // the others for dead, whose calls go on.
    test("not for the silence of a database that was away", async () => {
      const { db } = await openTestBooks("postgres");
      for (const ms of [0, 2_000, 4_000]) {
        await beat(db, "first", at + ms);
        await beat(db, "second", at + ms);
      }
      const back = at + 60_000;
      await beat(db, "first", back);
      expect(await findDeadNodes(db, "first", back)).toEqual([]);
      for (let ms = 2_000; ms < nodeDeadMs; ms += 2_000) {
        await beat(db, "first", back + ms);
        expect(await findDeadNodes(db, "first", back + ms)).toEqual([]);
      }
      await beat(db, "first", back + nodeDeadMs);
      expect(await findDeadNodes(db, "first", back + nodeDeadMs)).toEqual(["second"]);
    });
  });
}

describe("a node is taken for dead, and its reservations with it", () => {
  for (const dialect of testDialects) {
    test(`on ${dialect} with what it held although nobody knows it any more`, async () => {
      const books = await openInterrupted(dialect);
      await beat(books.db, "alive", at);
      for (let ms = 0; ms <= nodeDeadMs; ms += 2_000) await beat(books.db, "watching", at + ms);
      await beat(books.db, "alive", at + nodeDeadMs);
      const dead = await findDeadNodes(books.db, "watching", at + nodeDeadMs);
      // SQLite has one owner, so every other one is gone.
      expect(dead.toSorted()).toEqual(dialect === "postgres" ? ["dead"] : ["alive", "dead"]);
    });

    test(`on ${dialect} and forgotten when nothing is left of it`, async () => {
      const books = await openInterrupted(dialect);
      for (const node of ["dead", "alive", "empty"]) await beat(books.db, node, at);
      await removeNodes(books.db, ["dead", "empty"]);
      const nodes = await books.db.selectFrom("nodes").select("id").orderBy("id").execute();
      expect(nodes).toEqual([{ id: "alive" }, { id: "dead" }]);
      await release(books);
      await removeNodes(books.db, ["dead"]);
      expect(await books.db.selectFrom("nodes").select("id").execute()).toEqual([{ id: "alive" }]);
    });
  }
});
