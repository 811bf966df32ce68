import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { Db } from "#db/database.ts";
import { testDialects } from "#db/testing/database.ts";
import { proveWith } from "#modules/proof/testing/alter-rows.ts";
import { closeTestBooks, openTestBooks } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { findReceipt } from "#modules/logs/receipts.repo.ts";
import { proveLedger } from "#modules/proof/proof.ts";

afterEach(closeTestBooks);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

async function openCall(dialect: (typeof testDialects)[number]) {
  const books = await openTestBooks(dialect);
  await books.addUser("ann", 1_000_000);
  await books.addUser("ben", 1_000_000);
  const priceVersion = await books.addPrices({ ModelRatio: { m: "2" }, CompletionRatio: {} });
  const costs = await books.addCosts(913_377, { m: { tokens: { input: "14" } } });
  const log = chargedLog({
    requestId: "call",
    tokenId: 0,
    modelName: "m",
    tried: [5, 913_377],
    usage: { ...noUsage, input: 101_907 },
    priceVersion,
    cost: 713_349,
    costVersion: costs.version,
    reportedCost: "1.426698",
  });
  const of = { type: "settle", id: "call", tokenLimited: false, charged: null } as const;
  await books.apply([{ ...of, charge: 203_814, log }]);
  return books.db;
}

for (const dialect of testDialects) {
  describe(`costs and digests on ${dialect}`, () => {
    test("an owner can verify the receipt of a call, and is not told cost and channel", async () => {
      const db = await openCall(dialect);
      const receipt = await findReceipt(db, 1, 1);
      if (!receipt) throw new Error("there is no receipt");
      const { fields, digest, root_digest, row_hash: hash } = receipt;
      expect(digest).toBe(sha256(JSON.stringify(fields.map(({ value }) => value))));
      expect(hash).toBe(sha256(`${digest}${root_digest}`));
      const entry = await db
        .selectFrom("entries")
        .selectAll()
        .where("user_id", "=", 1)
        .where("seq", "=", receipt.seq)
        .executeTakeFirstOrThrow();
      expect(entry).toMatchObject({ detail: hash, amount: receipt.amount });
      const text = JSON.stringify(receipt);
      for (const secret of ["913377", "713349", "1.426698", "use_channel", "admin_info"]) {
        expect([secret, text.includes(secret)]).toEqual([secret, false]);
      }
      expect(Object.fromEntries(fields.map(({ name, value }) => [name, value]))).toMatchObject({
        request_id: "call",
        quota: 203_814,
        model_name: "m",
      });
      // Nobody else's, and with another salt another digest, so that it cannot be guessed.
      expect(await findReceipt(db, 1, 2)).toBeUndefined();
      const other = await openCall(dialect);
      expect((await findReceipt(other, 1, 1))?.root_digest).not.toBe(root_digest);
    });

    test("T3 T15: a change on either side is named", async () => {
      const db = await openCall(dialect);
      expect((await proveLedger(db)).flaw).toBeNull();
      const flawOf = async (change: (tx: Db) => Promise<unknown>) =>
        (await proveWith(db, change)).flaw;
      for (const set of [
        { cost: 713_348 },
        { cost: null },
        { cost_version: 0 },
        { cost_reported: "" },
        { salt: "" },
        { salt: "00" },
        { channel: 5 },
        { model_name: "n" },
        { quota: 203_813 },
        { content: "" },
      ]) {
        const flaw = await flawOf(async (tx) => await tx.updateTable("logs").set(set).execute());
        expect([set, flaw]).toEqual([
          set,
          { check: "T3", table: "logs", row: "id=1", reason: "is not what its settlement covers" },
        ]);
      }
      const version = await flawOf(
        async (tx) => await tx.updateTable("cost_versions").set({ starts_at: 1 }).execute(),
      );
      expect(version).toMatchObject({ check: "T15", table: "cost_versions", row: "id=1" });
      for (const column of ["cost", "costed_quota", "costed_count"] as const) {
        const flaw = await flawOf(
          async (tx) =>
            await tx
              .updateTable("usage_hours")
              .set((eb) => ({ [column]: eb(column, "+", 1) }))
              .execute(),
        );
        expect(flaw).toMatchObject({ check: "T5", table: "usage_hours" });
      }
    });

    test("T15: a cost that its list does not give is named", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("ann", 1_000_000);
      const costs = await books.addCosts(5, { "gpt-4o": { tokens: { input: "2" } } });
      const settle = async (id: string, cost: number | null, costVersion: number) => {
        const log = chargedLog({ requestId: id, tokenId: 0, cost, costVersion });
        const of = { type: "settle", id, tokenLimited: false, charged: null } as const;
        await books.apply([{ ...of, charge: 13, log }]);
        return (await proveLedger(books.db)).flaw;
      };
      expect(await settle("right", 10, costs.version)).toBeNull();
      expect(await settle("wrong", 11, costs.version)).toMatchObject({
        check: "T15",
        row: "id=2",
        reason: "its cost list gives 10",
      });
    });
  });
}
