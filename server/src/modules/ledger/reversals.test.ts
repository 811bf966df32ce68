import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import type { Operation } from "./operations.ts";
import { rerateCharges } from "./rerate/rerate-charges.ts";
import { closeTestBooks, facts, openTestBooks, setUpMs, settle } from "./testing/books.ts";
import { chargedLog } from "./testing/calls.ts";

afterEach(closeTestBooks);

type Call = { readonly id: string; readonly tokenLimited: boolean; readonly tokenId?: number };

function settlementOf({ id, tokenLimited, tokenId = 1 }: Call, charge = 13) {
  const { userId } = facts();
  const log = chargedLog({ requestId: id, userId, tokenId });
  return { type: "settle", id, tokenLimited, charge, charged: null, log } as const;
}

function reversalOf(call: Call, charge = 13): Operation {
  const { id, tokenLimited, log } = settlementOf(call);
  return { type: "reverse", id, tokenLimited, charge, log, atMs: setUpMs };
}

const back = (amount: number) => ({ type: "reversed", amount, rerated: 0 }) as const;

/** Opens a ledger whose user has 1,000, a limited token 1 of 300 and an unlimited token 2. */
async function openBooks(dialect: "postgres" | "sqlite") {
  const books = await openTestBooks(dialect);
  const userId = await books.addUser("alice", 1_000);
  await books.addToken(userId, "laptop", 300);
  await books.addToken(userId, "phone", 0);
  const { db } = books;
  const sums = async () => ({
    user: await books.readUser(1),
    limited: await books.readToken(1),
    unlimited: await books.readToken(2),
    counters: await db
      .selectFrom("counters")
      .select(["kind", "id", "used_quota", "request_count", "prompt_tokens"])
      .orderBy("kind")
      .orderBy("id")
      .execute(),
    hours: await db
      .selectFrom("usage_hours")
      .select(["token_id", "quota", "request_count", "prompt_tokens", "completion_tokens"])
      .orderBy("token_id")
      .execute(),
  });
  return { books, sums };
}

for (const dialect of testDialects) {
  describe(`a settlement that is given back on ${dialect}`, () => {
    for (const call of [
      { id: "r2", tokenLimited: true, tokenId: 1 },
      { id: "r2", tokenLimited: false, tokenId: 2 },
    ]) {
      const of = call.tokenLimited ? "a limited token" : "an unlimited token";
      test(`leaves user, token and sums of ${of} as if it had not been, and both rows`, async () => {
        const { books, sums } = await openBooks(dialect);
        await books.apply([settlementOf({ ...call, id: "r1" })]);
        const before = await sums();
        await books.apply([settlementOf(call)]);
        expect(await books.apply([reversalOf(call)])).toEqual([back(13)]);

        expect(await sums()).toEqual(before);
        const entries = await books.db
          .selectFrom("entries")
          .select(["cause", "kind", "amount", "used_after", "log_id"])
          .orderBy("seq", "desc")
          .limit(2)
          .execute();
        const [reversal, settlement] = entries;
        expect(entries).toMatchObject([
          { cause: "reversal:r2", kind: "reversal", amount: 13, used_after: 13 },
          { cause: "settle:r2", kind: "settle", amount: -13, used_after: 26 },
        ]);
        expect(reversal?.log_id).toBe(settlement?.log_id);
        const rows = await books.db
          .selectFrom("logs")
          .select(["type", "request_id", "quota", "write_off", "reversed"])
          .orderBy("id")
          .execute();
        expect(rows).toEqual([
          { type: 2, request_id: "r1", quota: 13, write_off: 0, reversed: 0 },
          { type: 2, request_id: "r2", quota: 13, write_off: 0, reversed: 1 },
          { type: 4, request_id: "r2", quota: 13, write_off: 13, reversed: 0 },
        ]);
      });
    }

    test("is given back in the batch of its settlement, and may be spent by the next one", async () => {
      const { books, sums } = await openBooks(dialect);
      const first = { id: "r1", tokenLimited: true };
      const second = { id: "r2", tokenLimited: true };
      const results = await books.apply([
        settlementOf(first, 300),
        reversalOf(first, 300),
        settlementOf(second, 300),
      ]);

      expect(results).toMatchObject([{ charged: 300 }, back(300), { charged: 300 }]);
      expect(await sums()).toMatchObject({
        user: { balance: 700, used: 300 },
        limited: { remain: 0, used: 300 },
        hours: [{ quota: 300, request_count: 1 }],
      });
    });

    test("is given back once, however often that is sent", async () => {
      const { books, sums } = await openBooks(dialect);
      const call = { id: "r1", tokenLimited: true };
      await books.apply([settlementOf(call), reversalOf(call)]);
      const before = await sums();

      expect(await books.apply([reversalOf(call)], "again")).toEqual([back(13)]);
      expect(await books.apply([settlementOf(call), reversalOf(call)], "again")).toMatchObject([
        { charged: 13 },
        back(13),
      ]);
      expect(await sums()).toEqual(before);
    });

    test("is given back with what re-rates have added, and says both, however often it is sent", async () => {
      const { books, sums } = await openBooks(dialect);
      const { db } = books;
      await books.apply([settlementOf({ id: "r1", tokenLimited: true })]);
      const before = await sums();
      for (const [id, after] of [
        ["raised", 20],
        ["lowered", 4],
      ] as const) {
        const call = { id, tokenLimited: true };
        await books.apply([settlementOf(call)]);
        const { id: logId, created_at: createdAt } = await db
          .selectFrom("logs")
          .select(["id", "created_at"])
          .where("request_id", "=", id)
          .where("type", "=", 2)
          .executeTakeFirstOrThrow();
        const { modelName, group } = settlementOf(call).log;
        const of = { requestId: id, userId: 1, tokenId: 1, channelId: 5, modelName, group };
        const charge = { ...of, logId, createdAt, isCosted: false, before: 13, after };
        await db.transaction().execute(
          async (tx) =>
            await rerateCharges(tx, {
              rerateId: 1,
              charges: [charge],
              most: new Map([[1, 1_000]]),
              mayOwe: false,
              nowMs: setUpMs,
            }),
        );
        const said = [{ type: "reversed" as const, amount: 13, rerated: after - 13 }];
        expect(await books.apply([reversalOf(call)])).toEqual(said);
        expect(await sums()).toEqual(before);
        expect(await books.apply([reversalOf(call)], "again")).toEqual(said);
        expect(await sums()).toEqual(before);
      }
    });

    test("was charged: what was refused, written off or free gives nothing", async () => {
      const { books, sums } = await openBooks(dialect);
      const call = { id: "r1", tokenLimited: true };
      expect(await books.apply([reversalOf(call)])).toEqual([back(0)]);
      await books.apply([settle(1_000, { id: "all", tokenLimited: false })]);
      await books.apply([settlementOf(call)]);
      const before = await sums();
      expect(await books.apply([reversalOf(call)])).toEqual([back(0)]);

      expect(before.user.balance).toBe(0);
      expect(await sums()).toEqual(before);
    });

    test("P-M12: is found by the proof when an entry or a row lies about it", async () => {
      const { books } = await openBooks(dialect);
      const version = await books.addPrices({ ModelRatio: { "gpt-4o": "1.3" } });
      const call = { id: "r1", tokenLimited: true };
      const log = { ...settlementOf(call).log, priceVersion: version };
      await books.apply([{ ...settlementOf(call), log }]);
      expect(await proveLedger(books.db)).toMatchObject({ flaw: null, charged: 13 });
      await books.apply([{ ...reversalOf(call), log } as Operation]);

      expect(await proveLedger(books.db)).toMatchObject({ flaw: null, charged: 0 });
      await books.db.updateTable("logs").set({ reversed: 0 }).execute();
      expect((await proveLedger(books.db)).flaw).toMatchObject({ check: "T3", table: "logs" });
      await books.db.updateTable("logs").set({ reversed: 1 }).execute();
      expect((await proveLedger(books.db)).flaw).toMatchObject({ check: "T3", table: "logs" });
    });
  });
}
