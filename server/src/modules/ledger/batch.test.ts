import { noUsage } from "@tollgate/contract/money/charge.ts";
import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { chargedLog, failedLog } from "./testing/calls.ts";
import {
  closeTestBooks,
  facts,
  more,
  openTestBooks,
  release,
  settle,
  take,
  type TestBooks,
} from "./testing/books.ts";

afterEach(closeTestBooks);

const settled = (charged: number, writeOff = 0) =>
  ({ type: "settled", charged, writeOff }) as const;
const taken = (amount: number) => ({ type: "taken", amount }) as const;
const done = { type: "done" } as const;

/** Opens a ledger whose user 1 has a balance of 1,000, of which token 1 may spend 300. */
async function openRichBooks(dialect: "postgres" | "sqlite"): Promise<TestBooks> {
  const books = await openTestBooks(dialect);
  const userId = await books.addUser("alice", 1_000);
  await books.addToken(userId, "laptop", 300);
  return books;
}

/** Reads every row that a batch can change. */
async function readBooks({ db }: TestBooks) {
  return {
    balances: await db.selectFrom("balances").selectAll().orderBy("user_id").execute(),
    tokens: await db.selectFrom("token_balances").selectAll().orderBy("token_id").execute(),
    entries: await db.selectFrom("entries").selectAll().orderBy("user_id").orderBy("seq").execute(),
    reservations: await db.selectFrom("reservations").selectAll().orderBy("id").execute(),
    counters: await db.selectFrom("counters").selectAll().orderBy("kind").orderBy("id").execute(),
    hours: await db.selectFrom("usage_hours").selectAll().orderBy("hour").execute(),
    logs: await db.selectFrom("logs").selectAll().orderBy("id").execute(),
  };
}

for (const dialect of testDialects) {
  describe(`a batch on ${dialect}`, () => {
    test("posts a charge as entry, log row, counters and roll-up", async () => {
      const books = await openRichBooks(dialect);
      const usage = { ...noUsage, input: 100, cacheRead: 20, output: 30, reasoning: 5 };
      const log = chargedLog({ requestId: "r1", usage, losses: ["temperature"], priceVersion: 1 });
      const operation = { type: "settle", id: "r1", tokenLimited: true, charge: 40 } as const;
      expect(await books.apply([{ ...operation, charged: null, log }])).toEqual([settled(40)]);

      const rows = await readBooks(books);
      expect(rows.balances).toMatchObject([{ balance: 960, held: 0, used: 40, entry_count: 2 }]);
      expect(rows.tokens).toMatchObject([{ granted: 300, remain: 260, used: 40, held: 0 }]);
      expect(rows.entries[1]).toMatchObject({
        cause: "settle:r1",
        kind: "settle",
        user_id: 1,
        seq: 2,
        token_id: 1,
        channel_id: 5,
        amount: -40,
        balance_after: 960,
        used_after: 40,
        log_id: rows.logs[0]?.id ?? 0,
      });
      expect(rows.balances[0]?.head_hash).toBe(rows.entries[1]?.hash ?? "");
      expect(rows.logs).toMatchObject([
        {
          request_id: "r1",
          type: 2,
          quota: 40,
          write_off: 0,
          prompt_tokens: 120,
          completion_tokens: 35,
          is_stream: 1,
          losses: '["temperature"]',
          usage: JSON.stringify(usage),
        },
      ]);
      const unknown = { cost: 0, costed_quota: 0, costed_count: 0 };
      const sums = { request_count: 1, prompt_tokens: 120, completion_tokens: 35, ...unknown };
      expect(rows.counters).toEqual([
        { kind: "channel", id: 5, used_quota: 40, ...sums },
        { kind: "token", id: 1, used_quota: 40, ...sums },
        { kind: "user", id: 1, used_quota: 40, ...sums },
      ]);
      const hour = log.createdAt - (log.createdAt % 3_600);
      const key = { hour, user_id: 1, token_id: 1, channel_id: 5, group: "default" };
      expect(rows.hours).toEqual([{ ...key, model_name: "gpt-4o", quota: 40, ...sums }]);
    });

    test("adds up calls of one batch and of several, each once", async () => {
      const books = await openRichBooks(dialect);
      const ids = ["a", "b", "c", "d"];
      await books.apply(ids.slice(0, 3).map((id) => settle(10, { id })));
      await books.apply(ids.slice(3).map((id) => settle(7, { id })));

      const rows = await readBooks(books);
      expect(rows.entries.map(({ balance_after }) => balance_after)).toEqual([
        1_000, 990, 980, 970, 963,
      ]);
      expect(rows.counters).toMatchObject(
        Array.from({ length: 3 }, () => ({ used_quota: 37, request_count: 4 })),
      );
      expect(rows.hours).toMatchObject([{ quota: 37, request_count: 4, prompt_tokens: 40 }]);
    });

    test("a call without token and channel counts for its user alone", async () => {
      const books = await openRichBooks(dialect);
      const log = chargedLog({ requestId: "r1", tokenId: 0, tried: [] });
      const operation = { type: "settle", id: "r1", tokenLimited: false, charge: 5 } as const;
      await books.apply([{ ...operation, charged: null, log }]);

      const rows = await readBooks(books);
      expect(rows.counters).toMatchObject([{ kind: "user", id: 1, used_quota: 5 }]);
      expect(rows.tokens).toMatchObject([{ remain: 300, used: 0 }]);
    });

    test("a call that costs nothing is an entry of 0 and counts as a request", async () => {
      const books = await openRichBooks(dialect);
      expect(await books.apply([settle(0)])).toEqual([settled(0)]);

      const rows = await readBooks(books);
      expect(Object.is(rows.entries[1]?.amount, 0)).toBeTrue();
      expect(rows.counters[2]).toMatchObject({ kind: "user", used_quota: 0, request_count: 1 });
    });

    test("a charge takes what the balance has, and the rest is written off", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 30);
      await books.addToken(1, "unlimited", 0);
      const results = await books.apply([
        settle(20, { id: "a", tokenLimited: false }),
        settle(25, { id: "b", tokenLimited: false }),
        settle(5, { id: "c", tokenLimited: false }),
      ]);

      expect(results).toEqual([settled(20), settled(10, 15), settled(0, 5)]);
      const rows = await readBooks(books);
      expect(rows.balances).toMatchObject([{ balance: 0, used: 30 }]);
      expect(rows.logs.map(({ quota, write_off }) => [quota, write_off])).toEqual([
        [20, 0],
        [10, 15],
        [0, 5],
      ]);
    });

    test("a charge takes what a limited token may spend, and no more", async () => {
      const books = await openRichBooks(dialect);
      const results = await books.apply([settle(290, { id: "a" }), settle(20, { id: "b" })]);

      expect(results).toEqual([settled(290), settled(10, 10)]);
      expect(await books.readToken(1)).toMatchObject({ granted: 300, remain: 0, used: 300 });
      expect(await books.readUser(1)).toMatchObject({ balance: 700, used: 300 });
    });

    test("what an unlimited token uses is added to its grant", async () => {
      const books = await openRichBooks(dialect);
      await books.apply([settle(400, { id: "a", tokenLimited: false })]);
      expect(await books.readToken(1)).toMatchObject({ granted: 700, remain: 300, used: 400 });
    });

    test("the judge's charge is posted, but never more than the cost or the balance", async () => {
      const books = await openRichBooks(dialect);
      const unlimited = { tokenLimited: false };
      const results = await books.apply([
        settle(50, { id: "a", charged: 20, ...unlimited }),
        settle(50, { id: "b", charged: 60, ...unlimited }),
        settle(990, { id: "c", charged: 990, ...unlimited }),
      ]);
      expect(results).toEqual([settled(20, 30), settled(50), settled(930, 60)]);
    });

    test("a call that failed leaves a row that is not charged", async () => {
      const books = await openRichBooks(dialect);
      const error = { type: "upstream_error", code: "http-429", message: "429" };
      const log = failedLog({ error });
      expect(await books.apply([{ type: "fail", log }])).toEqual([done]);

      const rows = await readBooks(books);
      expect(rows.logs).toMatchObject([{ type: 5, quota: 0, content: "429", price_version: 0 }]);
      expect([rows.counters, rows.hours]).toEqual([[], []]);
    });

    test("one operation that cannot be posted undoes the whole batch", async () => {
      const books = await openRichBooks(dialect);
      const before = await readBooks(books);
      const bad = settle(5, { id: "b", userId: 99, tokenId: 0 });
      await expect(books.apply([settle(10, { id: "a" }), bad])).rejects.toThrow("no balance");
      expect(await readBooks(books)).toEqual(before);
    });

    test("undoes entry and log row when the last of the sums cannot be written", async () => {
      const books = await openRichBooks(dialect);
      await books.apply([settle(10, { id: "a" })]);
      await books.db.updateTable("usage_hours").set({ quota: Number.MAX_SAFE_INTEGER }).execute();
      const before = await readBooks(books);
      await expect(books.apply([settle(10, { id: "b" })])).rejects.toThrow(/check|constraint/i);
      expect(await readBooks(books)).toEqual(before);
    });

    test("a call is settled once, however often it is requested", async () => {
      const books = await openRichBooks(dialect);
      await books.apply([settle(10)]);
      await expect(books.apply([settle(10)])).rejects.toThrow();
      await expect(books.apply([settle(5, { id: "b" }), settle(5, { id: "b" })])).rejects.toThrow();
      expect(await books.readUser(1)).toMatchObject({ balance: 990, used: 10 });
    });
  });

  describe(`a batch on ${dialect} that is sent again after it was committed`, () => {
    test("gives the same results and changes nothing", async () => {
      const books = await openRichBooks(dialect);
      const log = failedLog({ requestId: "f" });
      const operations = [
        settle(40, { id: "a" }),
        settle(280, { id: "b" }),
        release({ id: "c" }),
        { type: "fail", log } as const,
      ];
      const results = await books.apply(operations);
      const before = await readBooks(books);

      expect(results).toEqual([settled(40), settled(260, 20), done, done]);
      expect(await books.apply(operations, "again")).toEqual(results);
      expect(await readBooks(books)).toEqual(before);
    });

    test("posts what it has not posted yet", async () => {
      const books = await openRichBooks(dialect);
      await books.apply([settle(40, { id: "a" })]);
      const operations = [settle(40, { id: "a" }), settle(5, { id: "b" })];

      expect(await books.apply(operations, "again")).toEqual([settled(40), settled(5)]);
      expect(await books.readUser(1)).toMatchObject({ balance: 955, used: 45 });
    });

    // If the reservation of an ended call stayed in the database, the next start would log the call
    // as interrupted.
    test("leaves no reservation of a call that it opened and ended", async () => {
      const books = await openRichBooks(dialect);
      const open = (id: string) => ({ type: "open", facts: facts({ id }), amount: 0 }) as const;
      const operations = [open("a"), open("b"), settle(0, { id: "a" }), release({ id: "b" })];
      await books.apply(operations);
      await books.apply(operations, "again");
      expect((await readBooks(books)).reservations).toEqual([]);
    });
  });
}

if (testDialects.includes("postgres")) {
  describe("a batch on PostgreSQL grants", () => {
    const openBooks = async () => await openRichBooks("postgres");

    test("what a call needs, and holds it on balance and token", async () => {
      const books = await openBooks();
      expect(await books.apply([take(100)])).toEqual([taken(100)]);

      expect(await books.readUser(1)).toEqual({ balance: 1_000, held: 100, used: 0 });
      expect(await books.readToken(1)).toMatchObject({ remain: 300, held: 100 });
      expect((await readBooks(books)).reservations).toMatchObject([
        { id: "r1", node_id: "node-1", user_id: 1, token_id: 1, amount: 100, token_amount: 100 },
      ]);
    });

    test("not more than is available, nor less than a call needs", async () => {
      const books = await openBooks();
      const results = await books.apply([
        take(250, { id: "a" }),
        take(100, { id: "b", least: 50 }),
        take(100, { id: "c", least: 51 }),
        take(800, { id: "d", tokenLimited: false, least: 701 }),
        take(800, { id: "e", tokenLimited: false, least: 700 }),
        take(1, { id: "f", userId: 99 }),
      ]);
      expect(results).toEqual([
        taken(250),
        taken(50),
        { type: "refused", by: "token", available: 0, rest: 300 },
        { type: "refused", by: "user", available: 700, rest: 1_000 },
        taken(700),
        { type: "refused", by: "user", available: 0, rest: 0 },
      ]);
      expect(await books.readUser(1)).toMatchObject({ held: 1_000 });
    });

    test("more while it lasts, and takes it back with the rest at the end", async () => {
      const books = await openBooks();
      await books.apply([take(100)]);
      expect(await books.apply([more(150, 100)])).toEqual([taken(150)]);
      // The user has 700 left, the token nothing: a stream that ends here ends by its token.
      const ofToken = { short: "token" } as const;
      expect(await books.apply([more(150, 250)])).toEqual([{ ...taken(50), ...ofToken }]);
      expect(await books.apply([more(150, 300)])).toEqual([{ ...taken(0), ...ofToken }]);
      expect(await books.readToken(1)).toMatchObject({ held: 300 });
      expect(await books.apply([settle(120)])).toEqual([settled(120)]);

      expect(await books.readUser(1)).toEqual({ balance: 880, held: 0, used: 120 });
      expect(await books.readToken(1)).toMatchObject({ remain: 180, held: 0 });
      expect((await readBooks(books)).reservations).toEqual([]);
    });

    test("nothing to a call that ended", async () => {
      const books = await openBooks();
      await books.apply([take(100)]);
      expect(await books.apply([release(), more(50, 100)])).toEqual([
        done,
        { type: "interrupted" },
      ]);
      expect(await books.readUser(1)).toEqual({ balance: 1_000, held: 0, used: 0 });
    });

    test("a token with nothing left differs from one whose rest is held", async () => {
      const books = await openBooks();
      await books.apply([take(300), settle(300)]);
      expect(await books.apply([take(1, { id: "late" })])).toEqual([
        { type: "refused", by: "token", available: 0, rest: 0 },
      ]);
    });

    test("no quota that other calls hold, for a charge above the own hold", async () => {
      const books = await openBooks();
      const unlimited = { tokenLimited: false };
      await books.apply([
        take(100, { id: "a", ...unlimited }),
        take(850, { id: "b", ...unlimited }),
      ]);
      expect(await books.apply([settle(500, { id: "a", ...unlimited })])).toEqual([
        settled(150, 350),
      ]);
      expect(await books.readUser(1)).toEqual({ balance: 850, held: 850, used: 150 });
    });

    test("once, even if the operation is sent again", async () => {
      const books = await openBooks();
      const takes = [take(100, { id: "a" }), take(60, { id: "b" }), take(200, { id: "c" })];
      const refused = { type: "refused", by: "token", available: 140, rest: 300 } as const;
      expect(await books.apply(takes)).toEqual([taken(100), taken(60), refused]);
      expect(await books.apply(takes, "again")).toEqual([taken(100), taken(60), refused]);
      expect(await books.readUser(1)).toMatchObject({ held: 160 });

      expect(await books.apply([more(20, 100, { id: "a" })])).toEqual([taken(20)]);
      expect(await books.apply([more(20, 100, { id: "a" })], "again")).toEqual([taken(20)]);
      expect(await books.readUser(1)).toMatchObject({ held: 180 });

      const ends = [release({ id: "a" }), settle(10, { id: "b" })];
      await books.apply(ends);
      expect(await books.apply(ends, "again")).toEqual([done, settled(10)]);
      expect(await books.readUser(1)).toEqual({ balance: 990, held: 0, used: 10 });
    });
  });
}
