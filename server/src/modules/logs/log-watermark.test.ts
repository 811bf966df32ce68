import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { closeTestBooks, openTestBooks, waitForLock } from "#modules/ledger/testing/books.ts";
import { raiseLogWatermark, readLogWatermark } from "./log-watermark.ts";

afterEach(closeTestBooks);

for (const dialect of testDialects) {
  describe(`the watermark of cleaned log rows on ${dialect}`, () => {
    test("starts at 0 and only rises", async () => {
      const { db } = await openTestBooks(dialect);
      expect(await readLogWatermark(db)).toBe(0);
      await raiseLogWatermark(db, 0);
      await raiseLogWatermark(db, 12);
      await raiseLogWatermark(db, 7);
      expect(await readLogWatermark(db)).toBe(12);
      await raiseLogWatermark(db, 1_000);
      expect(await readLogWatermark(db)).toBe(1_000);
    });
  });
}

if (testDialects.includes("postgres")) {
  describe("the watermark of nodes that clean at the same time", () => {
    // If a later, lower value could replace the watermark, the proof would report the removed rows
    // between the two values as missing.
    test("is the highest of the nodes' values", async () => {
      const { db, address } = await openTestBooks("postgres");
      await raiseLogWatermark(db, 1);
      const raised = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const high = db.transaction().execute(async (tx) => {
        await raiseLogWatermark(tx, 100);
        raised.resolve();
        await commit.promise;
      });
      await raised.promise;
      const low = db.transaction().execute(async (tx) => await raiseLogWatermark(tx, 50));
      await waitForLock(address);
      commit.resolve();
      await Promise.all([high, low]);

      expect(await readLogWatermark(db)).toBe(100);
    });
  });
}
