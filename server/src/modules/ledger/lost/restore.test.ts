import { afterEach, describe, expect, test } from "bun:test";
import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import { testDialects } from "#db/testing/database.ts";
import { encodeBatch } from "#modules/ledger/batch-text.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { releaseUnowned } from "#modules/ledger/recovery.ts";
import { refundCharge } from "#modules/ledger/ledger.ts";
import {
  closeTestBooks,
  epochOf,
  facts,
  openTestBooks,
  setUpMs,
  take,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { chargeAgain, type LostCharge } from "./restore.ts";

afterEach(closeTestBooks);

const usage = { ...noUsage, input: 40_000 };
const price = unitPrice(defaultPriceList, "gpt-4o", "default");
const due = price === undefined ? 0 : charge(price, usage);

type Parts = Parameters<typeof chargedLog>[0] & { readonly acknowledged?: number };

function settled(requestId: string, parts: Parts = {}): Operation & { readonly type: "settle" } {
  const { acknowledged = due, ...of } = parts;
  const log = chargedLog({ requestId, usage, ...of });
  const charged = acknowledged;
  return { type: "settle", id: requestId, tokenLimited: true, charge: due, charged, log };
}

function reversed(requestId: string): Operation {
  const { log, charge: cost, id, tokenLimited } = settled(requestId);
  return { type: "reverse", id, tokenLimited, charge: cost, log, atMs: setUpMs };
}

async function restore(
  { db }: TestBooks,
  operations: readonly Operation[],
): Promise<LostCharge[] | "fenced"> {
  const epoch = await epochOf(db, "node-1");
  const text = encodeBatch({ nodeId: "node-1", epoch, again: true, operations });
  return await db.transaction().execute(async (tx) => await chargeAgain(tx, text));
}

async function open(balance: number): Promise<TestBooks> {
  const books = await openTestBooks("postgres");
  await books.addUser("alice", balance);
  await books.addToken(1, "laptop", balance);
  return books;
}

async function expectProven({ db }: TestBooks): Promise<void> {
  expect((await proveLedger(db)).flaw).toBeNull();
}

if (testDialects.includes("postgres")) {
  describe("a charge that the database has lost", () => {
    test("is written again once, with its row, its sums and its budget", async () => {
      const books = await open(10 * due);
      await books.apply([settled("there"), take(due, { id: "lost" })]);
      const asked = [settled("there"), settled("lost")];
      const lost = { requestId: "lost", userId: 1, acknowledged: due, again: due, reason: "" };
      expect(await restore(books, asked)).toEqual([lost]);
      expect(await restore(books, asked)).toEqual([]);

      expect(await books.readUser(1)).toEqual({ balance: 8 * due, held: 0, used: 2 * due });
      const causes = await books.db.selectFrom("entries").select("cause").orderBy("seq").execute();
      expect(causes.map(({ cause }) => cause)).toEqual(["gift:1", "settle:there", "again:lost"]);
      const rows = await books.db.selectFrom("logs").select(["request_id", "quota"]).execute();
      expect(rows).toEqual([
        { request_id: "there", quota: due },
        { request_id: "lost", quota: due },
      ]);
      await expectProven(books);
      // It is a charge like any other: a batch that comes again knows it, and it can be refunded.
      expect(await books.apply([settled("lost")], "again")).toEqual([
        { type: "settled", charged: due, writeOff: 0 },
      ]);
      const of = { requestId: "lost", userId: 1, tokenId: 1, tokenLimited: true, detail: "test" };
      const refunding = { ...of, modelName: "gpt-4o", group: "default", nowMs: Date.now() };
      const { db } = books;
      const refund = await db
        .transaction()
        .execute(async (tx) => await refundCharge(tx, refunding));
      expect(refund?.amount).toBe(due);
    });

    test("is charged up to what is free now, and the row names the rest", async () => {
      const books = await open(due - 5);
      expect(await restore(books, [settled("lost")])).toMatchObject([{ again: due - 5 }]);
      const row = await books.db.selectFrom("logs").selectAll().executeTakeFirstOrThrow();
      expect([row.quota, row.write_off]).toEqual([due - 5, 5]);
      await expectProven(books);
    });

    test("is not more than it was: what was written off stays so", async () => {
      const books = await open(10 * due);
      const answer = await restore(books, [settled("lost", { acknowledged: due - 7 })]);
      expect(answer).toMatchObject([{ acknowledged: due - 7, again: due - 7 }]);
      await expectProven(books);
    });

    test("and given back is not charged again; a reversal that alone is lost is made again", async () => {
      const books = await open(10 * due);
      await books.apply([settled("withheld")]);
      const all = [settled("both"), reversed("both"), settled("withheld"), reversed("withheld")];
      expect(await restore(books, all)).toEqual([]);
      expect(await books.readUser(1)).toMatchObject({ balance: 10 * due, used: 0 });
      await expectProven(books);
    });

    test("of a user, a price or a task that is lost as well is told and not charged", async () => {
      const books = await open(10 * due);
      const use = { mode: "", size: "", seconds: 1, count: 1 };
      const task = { id: "t", upstreamId: "u", action: "", use, dueAt: 0 };
      const answer = await restore(books, [
        settled("nobody", { userId: 9 }),
        // The id was given to somebody else meanwhile.
        settled("renamed", { username: "bob" }),
        settled("price", { priceVersion: 7 }),
        settled("other-price", { usage: { ...noUsage, input: 1 } }),
        settled("task", { task }),
      ]);
      expect(answer === "fenced" ? [] : answer.map(({ again, reason }) => [again, reason])).toEqual(
        [
          [0, "its user is lost"],
          [0, "its user is lost"],
          [0, "its price is lost"],
          [0, "its price is lost"],
          [0, "its task is lost"],
        ],
      );
      expect(await books.readUser(1)).toMatchObject({ balance: 10 * due });
      await expectProven(books);
    });

    test("of a token that is lost, or is another user's now, is charged to the user alone", async () => {
      const books = await open(10 * due);
      await books.addUser("bob", 0);
      await books.addToken(2, "phone", 100);
      const lost = [settled("gone", { tokenId: 9 }), settled("other", { tokenId: 2 })];
      expect(await restore(books, lost)).toMatchObject([{ again: due }, { again: due }]);
      expect(await books.readUser(1)).toMatchObject({ balance: 8 * due });
      expect(await books.readToken(2)).toMatchObject({ remain: 100, used: 0 });
      await expectProven(books);
    });

    test("stays free once it was logged as interrupted", async () => {
      const books = await open(10 * due);
      const { db } = books;
      await books.apply([
        take(due, { id: "ended" }),
        { type: "open", facts: facts({ id: "kept" }), amount: 5 },
        { type: "open", facts: facts({ id: "ended" }), amount: 5 },
      ]);
      await db.transaction().execute(async (tx) => await releaseUnowned(tx, "node-1", ["kept"]));
      expect(await restore(books, [settled("ended")])).toMatchObject([{ again: 0 }]);
      const left = await db.selectFrom("reservations").select("id").execute();
      expect(left).toEqual([{ id: "kept" }]);
      const row = await db.selectFrom("logs").selectAll().executeTakeFirstOrThrow();
      expect([row.request_id, row.type, row.write_off]).toEqual(["ended", 5, due]);
    });
  });
}
