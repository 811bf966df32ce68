import { noUsage } from "@tollgate/contract/money/charge.ts";
import { afterEach, describe, expect, test } from "bun:test";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { logHash } from "#modules/logs/logs.ts";
import { priceVersionHash } from "#modules/pricing/pricing.ts";
import { chainStart, entryHash } from "#modules/ledger/chain.ts";
import { proveLedger } from "./proof.ts";
import { closeTestBooks, openTestBooks, type TestBooks } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";

afterEach(closeTestBooks);

/** A call that price version 2 charges (100 + 30×4) × 1.25 = 275. */
const call = chargedLog({
  requestId: "r1",
  tokenId: 0,
  usage: { ...noUsage, input: 100, output: 30 },
  priceVersion: 2,
});

async function openCharged(
  dialect: "postgres" | "sqlite",
  charge: number,
  log: Partial<ChargedCallLog> = {},
  balance = 1_000,
): Promise<TestBooks> {
  const books = await openTestBooks(dialect);
  await books.addUser("alice", balance);
  await books.addPrices({ ModelRatio: { "gpt-4o": "1.25" }, CompletionRatio: { "gpt-4o": "4" } });
  const operation = { type: "settle", id: "r1", tokenLimited: false, charge } as const;
  await books.apply([{ ...operation, charged: null, log: { ...call, ...log } }]);
  return books;
}

/**
 * Changes a charged call as an attacker who can compute the hashes would: the log row, its entry
 * and the head of the chain.
 */
async function forge(
  db: Db,
  row: { readonly quota: number } | { readonly usage: string },
): Promise<void> {
  await db.updateTable("logs").set(row).execute();
  const log = await db.selectFrom("logs").selectAll().executeTakeFirstOrThrow();
  const [first, settled] = await db.selectFrom("entries").selectAll().orderBy("seq").execute();
  if (first === undefined || settled === undefined) throw new Error("two entries were expected");
  const entry = { ...settled, detail: logHash(log) };
  const hash = entryHash(entryHash(chainStart, first), entry);
  await db
    .updateTable("entries")
    .set({ detail: entry.detail, hash })
    .where("seq", "=", 2)
    .execute();
  await db.updateTable("balances").set({ head_hash: hash }).execute();
}

for (const dialect of testDialects) {
  describe(`the proof of charges on ${dialect}`, () => {
    const flawOf = async ({ db }: TestBooks) => (await proveLedger(db)).flaw;
    const t4 = (reason: string) => ({ check: "T4", table: "logs", row: "id=1", reason }) as const;

    test("a charge by the formula is correct, even if a part of it was written off", async () => {
      expect(await flawOf(await openCharged(dialect, 275))).toBeNull();
      expect(await flawOf(await openCharged(dialect, 275, {}, 200))).toBeNull();
    });

    test("a charge that is wrong by one unit is not", async () => {
      for (const charge of [274, 276]) {
        const books = await openCharged(dialect, charge);
        expect(await flawOf(books)).toEqual(t4("formula gives 275"));
      }
    });

    test("T25: a long prompt is proven by the price of long prompts, a row before it by its own", async () => {
      const usage = { ...noUsage, input: 60, cacheRead: 41, output: 30 };
      const charged = { usage, priceVersion: 3 };
      // (101 × 2 + 30 × 4 × 1.5) × 1.25 = 477.5; CacheRatio is not set.
      const booksOf = async (charge: number, log: Partial<ChargedCallLog>) => {
        const books = await openTestBooks(dialect);
        await books.addUser("alice", 1_000);
        const ratios = {
          ModelRatio: { "gpt-4o": "1.25" },
          CompletionRatio: { "gpt-4o": "4" },
          CacheRatio: {},
        };
        await books.addPrices(ratios);
        const long = { above: 100, ratio: "2", completion: "1.5" };
        await books.addPrices({ LongContextPrices: { "gpt-4o": long } });
        const operation = { type: "settle", id: "r1", tokenLimited: false, charge } as const;
        await books.apply([{ ...operation, charged: null, log: { ...call, ...log } }]);
        return books;
      };
      expect(await flawOf(await booksOf(478, charged))).toBeNull();
      expect(await flawOf(await booksOf(276, charged))).toEqual(t4("formula gives 478"));
      expect(await flawOf(await booksOf(276, { usage, priceVersion: 2 }))).toBeNull();
    });

    test("T25: a call is proven by the price of its service tier, a row before it by its own", async () => {
      const usage = { ...noUsage, input: 60, cacheRead: 41, output: 30, tier: "priority" } as const;
      // (60 × 2 + 41 × 3 + 30 × 4 × 1.5) × 1.25 = 528.75; CacheRatio is not set.
      const booksOf = async (charge: number, log: Partial<ChargedCallLog>) => {
        const books = await openTestBooks(dialect);
        await books.addUser("alice", 1_000);
        const ratios = {
          ModelRatio: { "gpt-4o": "1.25" },
          CompletionRatio: { "gpt-4o": "4" },
          CacheRatio: {},
        };
        await books.addPrices(ratios);
        const priority = { ratio: "2", cache: "3", completion: "1.5" };
        await books.addPrices({ ServiceTierPrices: { "gpt-4o": { priority } } });
        const operation = { type: "settle", id: "r1", tokenLimited: false, charge } as const;
        await books.apply([{ ...operation, charged: null, log: { ...call, ...log } }]);
        return books;
      };
      expect(await flawOf(await booksOf(529, { usage, priceVersion: 3 }))).toBeNull();
      const cheap = await booksOf(276, { usage, priceVersion: 3 });
      expect(await flawOf(cheap)).toEqual(t4("formula gives 529"));
      expect(await flawOf(await booksOf(276, { usage, priceVersion: 2 }))).toBeNull();
      await forge(cheap.db, { usage: JSON.stringify({ ...usage, tier: undefined }) });
      expect(await flawOf(cheap)).toBeNull();
      await forge(cheap.db, { usage: JSON.stringify({ ...usage, tier: "free" }) });
      expect(await flawOf(cheap)).toEqual(t4("usage cannot be read"));
    });

    test("T33: a call is proven by the price of the hour at which it ran, and of no other", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 10_000);
      await books.addPrices({
        ModelRatio: { "gpt-4o": "1.25" },
        CompletionRatio: { "gpt-4o": "4" },
      });
      const night = { from: "22:00", until: "00:10", ratio: "2", cache: "2", completion: "2" };
      await books.addPrices({
        HourPrices: { "gpt-4o": [night] },
        SearchPrices: { "gpt-4o": { search: "1" } },
      });
      // It began at 23:59:40 and ended at 00:00:20.
      const createdAt = Date.UTC(2026, 10, 30, 0, 0, 20) / 1_000;
      const usage = { ...noUsage, input: 100, output: 30, searches: 2, minute: 1_439 };
      const log = { ...call, createdAt, useTimeSeconds: 40, usage, priceVersion: 3 };
      const operation = { type: "settle", id: "r1", tokenLimited: false, charge: 1_550 } as const;
      await books.apply([{ ...operation, charged: null, log }]);
      expect(await flawOf(books)).toBeNull();
      const forged = async (part: object) => {
        await forge(books.db, { usage: JSON.stringify({ ...usage, ...part }) });
        return await flawOf(books);
      };
      expect(await forged({ minute: 0 })).toBeNull();
      expect(await forged({ minute: 3 })).toEqual(
        t4("its price is of an hour at which it was not reserved"),
      );
      expect(await forged({ minute: 1_320 })).toEqual(
        t4("its price is of an hour at which it was not reserved"),
      );
      expect(await forged({ minute: undefined })).toEqual(t4("formula gives 1275"));
      expect(await forged({ searches: 1 })).toEqual(t4("formula gives 1050"));
    });

    test("neither is a charge by a price that was not in force, or by none", async () => {
      const byDefault = await openCharged(dialect, 274, { priceVersion: 1 });
      expect(await flawOf(byDefault)).toEqual(t4("formula gives 275"));
      const unknown = await openCharged(dialect, 275, { priceVersion: 3 });
      expect(await flawOf(unknown)).toEqual(t4("price version 3 is missing"));
      const unpriced = await openCharged(dialect, 275, { modelName: "o9" });
      expect(await flawOf(unpriced)).toEqual(t4("its price version has no price for it"));
    });

    test("neither is a row with another amount than was charged, even if its hashes match", async () => {
      const books = await openCharged(dialect, 275);
      await forge(books.db, { quota: 275 });
      expect(await flawOf(books)).toBeNull();
      await forge(books.db, { quota: 100 });
      expect(await flawOf(books)).toEqual(t4("quota is not what was charged"));
    });

    test("unreadable counts are reported as a flaw, not thrown", async () => {
      const books = await openCharged(dialect, 275);
      for (const usage of ["", "{", '{"input":-1}']) {
        await forge(books.db, { usage });
        expect(await flawOf(books)).toEqual(t4("usage cannot be read"));
      }
    });

    test("an unreadable price list is reported as a flaw, not thrown", async () => {
      const books = await openCharged(dialect, 275);
      for (const content of ["{", '{"ModelRatio":{}}']) {
        const row = await books.db
          .selectFrom("price_versions")
          .selectAll()
          .where("id", "=", 1)
          .executeTakeFirstOrThrow();
        const hash = priceVersionHash("", { ...row, content });
        const update = books.db.updateTable("price_versions").set({ content, hash });
        await update.where("id", "=", 1).execute();
        expect(await flawOf(books)).toMatchObject({ table: "price_versions", row: "id=1" });
      }
    });
  });
}
