import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { applyBatch } from "./batch.ts";
import type { Operation, OperationResult } from "./operations.ts";
import { findSumFlaw } from "#modules/proof/proof.ts";
import {
  applyAs,
  closeTestBooks,
  epochOf,
  more,
  openTestBooks,
  release,
  settle,
  take,
  type TestBooks,
  waitForLock,
} from "./testing/books.ts";

afterEach(closeTestBooks);

/** How many transactions a test runs at the same time. */
const transactionCount = 200;

/** Lets the nodes join before the transactions that run at the same time. */
async function joinAll({ db }: TestBooks): Promise<void> {
  for (const nodeId of ["node-0", "node-1", "node-2"]) await epochOf(db, nodeId);
}

if (testDialects.includes("postgres")) {
  describe("nodes that share a PostgreSQL database", () => {
    test("P-M2: grant no more than is available, and hold exactly the open reservations", async () => {
      const books = await openTestBooks("postgres");
      for (const name of ["alice", "bob"]) {
        const userId = await books.addUser(name, 10);
        await books.addToken(userId, "laptop", 8);
      }
      await joinAll(books);
      const calls = Array.from({ length: transactionCount }, (_, index) => {
        const userId = 1 + (index % 2);
        return { id: `c${index}`, userId, tokenId: userId, tokenLimited: index % 3 > 0 };
      });
      const taken = await Promise.all(
        calls.map(async (call, index) => {
          const [result] = await applyAs(books.db, `node-${index % 3}`, [take(1, call)]);
          return result?.type === "taken" ? [call] : [];
        }),
      );

      const held = taken.flat();
      expect(held).toHaveLength(20);
      expect(await books.readUser(1)).toEqual({ balance: 10, held: 10, used: 0 });
      expect(await books.readUser(2)).toEqual({ balance: 10, held: 10, used: 0 });
      const limited = held.filter((call) => call.tokenLimited && call.userId === 1).length;
      expect(await books.readToken(1)).toMatchObject({ held: limited });
      expect(limited).toBeLessThanOrEqual(8);
    });

    test("take, extend, settle and release at the same time, and the sums agree", async () => {
      const books = await openTestBooks("postgres");
      for (const name of ["alice", "bob", "carol"]) {
        const userId = await books.addUser(name, 5_000);
        await books.addToken(userId, "laptop", 3_000);
        await books.addToken(userId, "phone", 100);
      }
      await joinAll(books);
      const charges = await Promise.all(
        Array.from({ length: transactionCount }, async (_, index) => await runCall(index)),
      );

      async function runCall(index: number): Promise<{ userId: number; charged: number }> {
        const userId = 1 + (index % 3);
        const tokenId = 2 * userId - (index % 2);
        const call = { id: `c${index}`, userId, tokenId, tokenLimited: index % 5 > 0 };
        const apply = async (operation: Operation): Promise<OperationResult | undefined> => {
          const [result] = await applyAs(books.db, `node-${index % 3}`, [operation]);
          return result;
        };
        const held = await apply(take(40, { ...call, least: 0 }));
        const before = held?.type === "taken" ? held.amount : 0;
        await apply(more(30, before, call));
        if (index % 7 === 0) {
          await apply(release(call));
          return { userId, charged: 0 };
        }
        const ended = await apply(settle(index % 60, call));
        return { userId, charged: ended?.type === "settled" ? ended.charged : Number.NaN };
      }

      for (const userId of [1, 2, 3]) {
        const used = charges.reduce(
          (sum, one) => sum + (one.userId === userId ? one.charged : 0),
          0,
        );
        expect(await books.readUser(userId)).toEqual({ balance: 5_000 - used, held: 0, used });
      }
      expect(await books.db.selectFrom("reservations").selectAll().execute()).toEqual([]);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    // Simulates a connection that breaks at COMMIT: the server commits the batch only after the
    // gateway has sent it again.
    test("P-R5: a batch that is being committed while it is sent again counts once", async () => {
      const books = await openTestBooks("postgres");
      await books.addUser("alice", 1_000);
      await books.addToken(1, "laptop", 300);
      await books.apply([take(50, { id: "b" })]);
      const batch = {
        nodeId: "node-1",
        epoch: await epochOf(books.db, "node-1"),
        again: false,
        operations: [take(100, { id: "a" }), settle(30, { id: "b" })],
      };
      const applied = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const first = books.db.transaction().execute(async (tx) => {
        await applyBatch(tx, batch);
        applied.resolve();
        await commit.promise;
      });
      await applied.promise;
      const again = books.apply(batch.operations, "again");
      await waitForLock(books.address);
      commit.resolve();
      await first;

      expect(await again).toEqual([
        { type: "taken", amount: 100 },
        { type: "settled", charged: 30, writeOff: 0 },
      ]);
      expect(await books.readUser(1)).toEqual({ balance: 970, held: 100, used: 30 });
      expect(await books.readToken(1)).toMatchObject({ remain: 270, held: 100 });
    });
  });
}
