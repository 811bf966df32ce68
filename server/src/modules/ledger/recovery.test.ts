import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { endEpochs, joinNodes } from "./nodes.ts";
import type { OperationResult } from "./operations.ts";
import { findSumFlaw } from "#modules/proof/proof.ts";
import { releaseInterrupted } from "./recovery.ts";
import {
  applyAs,
  closeTestBooks,
  epochOf,
  facts,
  openTestBooks,
  settle,
  setUpMs,
  take,
  type TestBooks,
} from "./testing/books.ts";
import { failedLog } from "./testing/calls.ts";

afterEach(closeTestBooks);

/**
 * Opens a ledger in which Alice has 1,000 and a token of 300; node `dead` runs the calls `a` and
 * `b`, node `alive` runs `c`.
 */
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

const release = async ({ db }: TestBooks) =>
  await db.transaction().execute(async (tx) => await releaseInterrupted(tx, "dead"));

const end = async ({ db }: TestBooks) =>
  await db.transaction().execute(async (tx) => await endEpochs(tx, ["dead"], null));

/** Lets the node `dead` return in a new epoch. */
const rejoin = async ({ db }: TestBooks) =>
  await db
    .transaction()
    .execute(
      async (tx) => await joinNodes(tx, { nodeId: "dead", epoch: await epochOf(tx, "dead") }),
    );

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
  describe(`what a dead node leaves behind on ${dialect}`, () => {
    test("is released, charged 0 and logged as interrupted", async () => {
      const books = await openInterrupted(dialect);
      expect(await release(books)).toBe(0);
      expect(await end(books)).toEqual(["dead"]);
      const beganSeconds = Math.floor(Date.now() / 1_000);
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
        })),
      );
      // The times come from the database's clock, which differs from the test's, so they are
      // compared roughly.
      for (const { created_at, use_time } of logs) {
        expect(created_at).toBeGreaterThan(beganSeconds - 60);
        expect(use_time).toBeGreaterThan(beganSeconds - 60 - setUpMs / 1_000);
      }
    });

    test("keeps the tags of its calls, which other nodes know by the reservations alone", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 1_000);
      await books.addToken(1, "laptop", 300);
      const open = (id: string, tags?: string) =>
        dialect === "postgres"
          ? take(100, { id, tags })
          : ({ type: "open", facts: facts({ id, tags }), amount: 100 } as const);
      await applyAs(books.db, "dead", [open("a", "team:search\njob:batch"), open("b")]);
      await end(books);
      expect(await release(books)).toBe(2);
      const rows = await books.db
        .selectFrom("log_tags")
        .innerJoin("logs", "logs.id", "log_tags.log_id")
        .select(["request_id", "tag"])
        .orderBy("tag")
        .execute();
      expect(rows).toEqual([
        { request_id: "a", tag: "job:batch" },
        { request_id: "a", tag: "team:search" },
      ]);
    });

    test("I8: is released once; a second recovery changes no row", async () => {
      const books = await openInterrupted(dialect);
      await end(books);
      await release(books);
      const after = await readEverything(books);

      expect(await release(books)).toBe(0);
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
      await end(books);
      expect([await release(books), await release(books), await release(books)]).toEqual([
        500, 102, 0,
      ]);
    });

    test("is limited to its holds: settled calls are not touched", async () => {
      const books = await openInterrupted(dialect);
      await applyAs(books.db, "dead", [settle(30, { id: "a", charged: 30 })]);
      await end(books);
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
    test("release its holds once", async () => {
      const books = await openInterrupted("postgres");
      await end(books);
      const released = await Promise.all([release(books), release(books), release(books)]);

      expect(released.toSorted()).toEqual([0, 0, 2]);
      expect(await books.readUser(1)).toMatchObject({ held: 100 });
      expect((await readEverything(books)).logs).toHaveLength(2);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    // The node `dead` was only slow. While another node, which took it for dead, releases its
    // holds, it begins a new epoch and settles its calls.
    test("and the returning node itself keep the ledger correct", async () => {
      const books = await openInterrupted("postgres");
      await end(books);
      const [first, , second] = await Promise.all([release(books), rejoin(books), release(books)]);
      const [a, b] = await applyAs(books.db, "dead", [
        settle(30, { id: "a" }),
        settle(40, { id: "b" }),
      ]);

      // Depending on which transaction is first, both holds are released and nothing is charged, or
      // both calls continue and are charged.
      const isReleased = first + second === 2;
      expect(first + second).toBe(isReleased ? 2 : 0);
      const free = { type: "settled", charged: 0 };
      expect([a, b]).toMatchObject(isReleased ? [free, free] : [{ charged: 30 }, { charged: 40 }]);
      const used = isReleased ? 0 : 70;
      expect(await books.readUser(1)).toEqual({ balance: 1_000 - used, held: 100, used });
      expect((await readEverything(books)).logs).toHaveLength(2);
      expect(await findSumFlaw(books.db)).toBeNull();
    });
  });

  describe("a node that was taken for dead and returns", () => {
    test("does not charge a call that was logged as free, and logs what it cost", async () => {
      const books = await openInterrupted("postgres");
      await end(books);
      await release(books);
      await rejoin(books);
      const log = failedLog({ requestId: "b" });
      const operations = [settle(30, { id: "a" }), { type: "fail", log } as const];
      const answer: OperationResult[] = [
        { type: "settled", charged: 0, writeOff: 30 },
        { type: "done" },
      ];

      expect(await applyAs(books.db, "dead", operations)).toEqual(answer);
      expect(await applyAs(books.db, "dead", operations, "again")).toEqual(answer);
      expect(await books.readUser(1)).toEqual({ balance: 1_000, held: 100, used: 0 });
      const { logs, entries } = await readEverything(books);
      expect(entries).toHaveLength(1);
      expect(logs.map((row) => [row.request_id, row.type, row.quota, row.write_off])).toEqual([
        ["a", 5, 0, 30],
        ["b", 5, 0, 0],
      ]);
    });

    test("keeps the holds that no node released, and may settle calls without a row", async () => {
      const books = await openInterrupted("postgres");
      await end(books);
      await rejoin(books);

      expect(await release(books)).toBe(0);
      expect(
        await applyAs(books.db, "dead", [settle(30, { id: "a" }), settle(950, { id: "unknown" })]),
      ).toEqual([
        { type: "settled", charged: 30, writeOff: 0 },
        // A settlement charges no more than is free: the token has 300, and two other calls hold
        // 100 each.
        { type: "settled", charged: 70, writeOff: 880 },
      ]);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    test("does not begin a call that was ended before it began", async () => {
      const books = await openInterrupted("postgres");
      await end(books);
      await release(books);
      await rejoin(books);

      expect(await applyAs(books.db, "dead", [take(100, { id: "a" })], "again")).toEqual([
        { type: "interrupted" },
      ]);
      expect(await books.readUser(1)).toMatchObject({ held: 100 });
    });
  });
}
