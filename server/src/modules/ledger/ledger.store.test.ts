import { afterEach, describe, expect, test } from "bun:test";
import { bindStore } from "#db/store.ts";
import { testDialects } from "#db/testing/database.ts";
import { encodeBatch } from "./batch-text.ts";
import { ledgerStore } from "./ledger.store.ts";
import { closeTestBooks, openTestBooks, settle } from "./testing/books.ts";

afterEach(closeTestBooks);

for (const dialect of testDialects) {
  describe(`the ledger's store on ${dialect}`, () => {
    test("applies a batch given as text like the batch itself", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 100);
      const store = bindStore(ledgerStore, books.db);
      const operations = [settle(30, { tokenId: 0, tokenLimited: false })];
      const node = { nodeId: "n", epoch: await store.joinNodes({ nodeId: "n", epoch: 0 }) };
      const text = encodeBatch({ ...node, again: false, operations });

      const settled = [{ type: "settled", charged: 30, writeOff: 0 }] as const;
      expect(await store.applyBatchText(text)).toEqual(settled);
      const again = encodeBatch({ ...node, again: true, operations });
      expect(await store.applyBatchText(again)).toEqual(settled);
      expect(await books.readUser(1)).toEqual({ balance: 70, held: 0, used: 30 });
    });

    test("lists what can be granted, without zeros", async () => {
      const books = await openTestBooks(dialect);
      for (const [name, balance] of [
        ["alice", 100],
        ["bob", 0],
        ["carol", Number.MAX_SAFE_INTEGER],
      ] as const) {
        await books.addUser(name, balance);
      }
      await books.addToken(1, "laptop", 0);
      await books.addToken(1, "phone", 7);
      const store = bindStore(ledgerStore, books.db);

      expect((await store.listBalances(0)).toSorted((a, b) => a.user_id - b.user_id)).toEqual([
        { user_id: 1, balance: 100, debt: 0 },
        { user_id: 3, balance: Number.MAX_SAFE_INTEGER, debt: 0 },
      ]);
      expect(await store.listTokenBalances(0)).toEqual([{ token_id: 2, remain: 7 }]);
    });
  });
}
