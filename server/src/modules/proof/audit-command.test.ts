import { charge, noUsage, priceList, unitPrice } from "@tollgate/contract/money/charge.ts";
import { afterEach, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { closeTestBooks, openTestBooks, take } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { append, applyUpTo } from "#modules/ledger/testing/journal.ts";
import { runAudit } from "./audit-command.ts";

afterEach(closeTestBooks);

const rightKey = async () => await Promise.resolve(null);

for (const dialect of testDialects) {
  // The columns and hashes that an update adds are missing there, so a healthy ledger would look
  // altered.
  test(`tables of an earlier version are not called altered: the gateway must start first: ${dialect}`, async () => {
    const { db, address, close } = await openTestDatabase(dialect);
    const said: string[] = [];
    try {
      expect(await runAudit(address, (line) => said.push(line), rightKey)).toBe(0);
      expect(said.join()).toStartWith("audit: ok");
      await db
        .withTables<{ schema_migrations: { name: string } }>()
        .deleteFrom("schema_migrations")
        .where("name", "=", "20261123-1745-row-hashes")
        .execute();
      const again = runAudit(address, (line) => said.push(line), rightKey);
      expect(await again.catch(String)).toContain("Start the gateway once");
    } finally {
      await close();
    }
  });
}

test("the audit of a large PostgreSQL database is not ended by the time limit of a console's statements", async () => {
  const { db, address, close } = await openTestDatabase("postgres");
  const said: string[] = [];
  try {
    // Fails as soon as it is read under a time limit.
    await sql`alter table rerates rename to all_rerates`.execute(db);
    await sql`create view rerates as select * from all_rerates
      where case current_setting('statement_timeout') when '0' then 1
        else 1 / length(substr(current_setting('statement_timeout'), 100)) end = 1`.execute(db);
    const audit = runAudit(address, (line) => said.push(line), rightKey);
    expect(await audit.catch(String)).toBe(0);
    expect(said.join()).toStartWith("audit: ok");
  } finally {
    await close();
  }
});

/** What is done to a ledger with a record in the books, and two in the journal. */
const faults: Readonly<
  Record<string, { readonly plant: (db: Db) => Promise<unknown>; says: string }>
> = {
  "a record that was changed": {
    plant: async (db) =>
      await db.updateTable("journal").set({ body: "[[],[],[]]" }).where("seq", "=", 3).execute(),
    says: "audit: T16 fails at journal node_id=node-1 seq=3: sum",
  },
  "a record that is missing": {
    plant: async (db) => await db.deleteFrom("journal").where("seq", "=", 2).execute(),
    says: "audit: T16 fails at journal node_id=node-1 seq=3: follows record 1",
  },
  "a mark that is ahead": {
    plant: async (db) => await db.updateTable("journal_heads").set({ applied: 2 }).execute(),
    says: "audit: T16 fails at journal node_id=node-1 seq=2: the books say that they have it: the mark is 2",
  },
  "a row that was applied twice": {
    plant: async (db) =>
      await db
        .updateTable("balances")
        .set(({ ref }) => ({
          balance: sql<number>`${ref("balance")} - 5`,
          used: sql<number>`used + 5`,
        }))
        .execute(),
    says: "balances user_id=1",
  },
};

for (const dialect of testDialects) {
  test(`the audit names what is done to the journal and its books: ${dialect}`, async () => {
    for (const [name, { plant, says }] of Object.entries(faults)) {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 1_000_000);
      await books.addToken(1, "laptop", 1_000_000);
      const due = await priceOf(books.db);
      for (const id of ["one", "two", "three"]) {
        const call = { userId: 1, tokenId: 1 };
        if (dialect === "postgres") await books.apply([take(due, { ...call, id })]);
        const log = chargedLog({ requestId: id });
        await append(books.db, [
          { type: "settle", id, tokenLimited: true, charge: due, charged: due, log },
        ]);
      }
      await applyUpTo(books.db, 1);
      const said: string[] = [];
      const audit = async () => await runAudit(books.address, (line) => said.push(line), rightKey);
      await audit();
      expect([name, said.join()]).toEqual([name, expect.not.stringContaining(says)]);
      await plant(books.db);
      said.length = 0;
      expect([name, await audit(), said.join()]).toEqual([name, 1, expect.stringContaining(says)]);
      await closeTestBooks();
    }
  });
}

/** Computes what a call of `chargedLog` costs by the prices of the database. */
async function priceOf(db: Db): Promise<number> {
  const { content } = await db
    .selectFrom("price_versions")
    .select("content")
    .executeTakeFirstOrThrow();
  const { modelName, group, usage } = chargedLog();
  const price = unitPrice(priceList.parse(JSON.parse(content)), modelName, group);
  if (price === undefined) throw new Error("the model has no price");
  return charge(price, { ...noUsage, ...usage });
}
