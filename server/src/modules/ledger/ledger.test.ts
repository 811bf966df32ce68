import { afterEach, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { testDialects } from "#db/testing/database.ts";
import {
  adjustTokenBalance,
  balancesBefore,
  openBalance,
  openTokenBalance,
  postEntry,
} from "./ledger.ts";
import {
  closeTestBooks,
  facts,
  openTestBooks,
  settle,
  setUpMs,
  type TestBooks,
} from "./testing/books.ts";

afterEach(closeTestBooks);

const most = Number.MAX_SAFE_INTEGER;
const tooLow = { code: "quota-too-low" };

async function post({ db }: TestBooks, userId: number, amount: number, cause: string) {
  const kind = "admin_adjust";
  return await db
    .transaction()
    .execute(
      async (tx) =>
        await postEntry(tx, { cause, kind, userId, amount, detail: "by hand", nowMs: setUpMs }),
    );
}

async function adjust({ db }: TestBooks, tokenId: number, delta: number): Promise<void> {
  await db.transaction().execute(async (tx) => await adjustTokenBalance(tx, tokenId, delta));
}

/** Sets the held quota in all rows of a table, as if calls on another node held that quota. */
async function hold({ db }: TestBooks, table: "balances" | "token_balances", amount: number) {
  await db.updateTable(table).set({ held: amount }).execute();
}

for (const dialect of testDialects) {
  describe(`a change of a balance on ${dialect}`, () => {
    test("is an entry that follows the one before it", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 0);
      expect(await post(books, 1, 500, "redeem:17")).toMatchObject({ balance: 500 });
      expect(await post(books, 1, -120, "admin:1")).toMatchObject({ balance: 380 });

      const entries = await books.db.selectFrom("entries").selectAll().orderBy("seq").execute();
      expect(entries).toMatchObject([
        { cause: "redeem:17", seq: 1, amount: 500, balance_after: 500, used_after: 0, log_id: 0 },
        { cause: "admin:1", seq: 2, amount: -120, balance_after: 380, detail: "by hand" },
      ]);
      const { head_hash, entry_count } = await books.db
        .selectFrom("balances")
        .selectAll()
        .executeTakeFirstOrThrow();
      expect([head_hash, entry_count]).toEqual([entries[1]?.hash ?? "", 2]);
    });

    test("counts once per cause, and a repetition undoes its whole transaction", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 0);
      await post(books, 1, 500, "redeem:17");
      await expect(post(books, 1, 500, "redeem:17")).rejects.toThrow();
      await expect(
        books.db.transaction().execute(async (tx) => {
          await tx.deleteFrom("entries").execute();
          await postEntry(tx, {
            cause: "redeem:18",
            kind: "redeem",
            userId: 2,
            amount: 1,
            detail: "",
            nowMs: setUpMs,
          });
        }),
      ).rejects.toThrow("no balance");
      expect(await books.readUser(1)).toMatchObject({ balance: 500 });
      expect(await books.db.selectFrom("entries").selectAll().execute()).toHaveLength(1);
    });

    test("counts once per cause, however many send it at the same time", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 0);
      const posts = Array.from({ length: 20 }, async () => await post(books, 1, 7, "topup:1"));
      const kinds = (await Promise.allSettled(posts)).map(({ status }) => status);
      expect(kinds.filter((status) => status === "fulfilled")).toHaveLength(1);
      expect(await books.readUser(1)).toMatchObject({ balance: 7 });
    });

    test("takes no quota that running calls hold", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 100);
      await hold(books, "balances", 40);
      await expect(post(books, 1, -61, "admin:1")).rejects.toMatchObject(tooLow);
      expect(await post(books, 1, -60, "admin:2")).toMatchObject({ balance: 40 });
      expect(await books.db.selectFrom("entries").selectAll().execute()).toHaveLength(2);
    });

    test("is refused beyond what can be counted exactly", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 1);
      await expect(post(books, 1, most, "admin:1")).rejects.toMatchObject({
        code: "invalid-input",
      });
      expect(await post(books, 1, most - 1, "admin:2")).toMatchObject({ balance: most });
      expect(await books.readUser(1)).toMatchObject({ balance: most });
    });

    test("moves a token's quota, except what running calls hold", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 100);
      await books.addToken(1, "laptop", 100);
      await hold(books, "token_balances", 40);
      await expect(adjust(books, 1, -61)).rejects.toMatchObject(tooLow);
      await expect(adjust(books, 1, most)).rejects.toMatchObject({ code: "invalid-input" });
      await adjust(books, 1, -60);
      await adjust(books, 1, 15);
      await adjust(books, 1, 0);
      expect(await books.readToken(1)).toEqual({ granted: 55, remain: 55, used: 0, held: 40 });
    });

    test("needs an existing user or token", async () => {
      const books = await openTestBooks(dialect);
      await expect(post(books, 9, 1, "admin:1")).rejects.toThrow("user 9 has no balance");
      await expect(adjust(books, 9, 1)).rejects.toThrow("token 9 has no balance");
      await openBalance(books.db, 9);
      await openTokenBalance(books.db, 9, 70);
      expect(await books.readUser(9)).toEqual({ balance: 0, held: 0, used: 0 });
      expect(await books.readToken(9)).toEqual({ granted: 70, remain: 70, used: 0, held: 0 });
    });
  });

  describe(`the tables of money on ${dialect}`, () => {
    const bounded = {
      balances: ["balance", "held", "used", "entry_count"],
      token_balances: ["granted", "remain", "used", "held"],
      counters: ["used_quota", "request_count", "prompt_tokens", "completion_tokens"],
      usage_hours: ["quota", "request_count", "prompt_tokens", "completion_tokens"],
      reservations: ["amount", "token_amount"],
      logs: ["quota", "write_off"],
      entries: ["balance_after", "used_after"],
    };

    test("hold no number below 0 or beyond exact arithmetic", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 1_000);
      await books.addToken(1, "laptop", 300);
      await books.apply([settle(10), { type: "open", facts: facts({ id: "z" }), amount: 5 }]);
      for (const [table, columns] of Object.entries(bounded)) {
        for (const column of columns) {
          for (const bad of ["-1", "9007199254740992"]) {
            const update = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.raw(bad)}`;
            await expect(update.execute(books.db)).rejects.toThrow(/check|constraint/i);
          }
        }
      }
    });

    test("hold no more for calls than there is", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 1_000);
      await books.addToken(1, "laptop", 300);
      await expect(hold(books, "balances", 1_001)).rejects.toThrow(/check|constraint/i);
      await expect(hold(books, "token_balances", 301)).rejects.toThrow(/check|constraint/i);
      const below = sql`update balances set balance = 5, held = 6`.execute(books.db);
      await expect(below).rejects.toThrow(/check|constraint/i);
    });
  });

  describe(`the balances before a change on ${dialect}`, () => {
    test("lists every balance that the user had at this used quota", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 0);
      await books.addUser("bob", 77);
      await post(books, 1, 100, "admin:1");
      await books.apply([settle(30, { tokenId: 0, tokenLimited: false })]);
      await post(books, 1, 50, "admin:2");
      await post(books, 1, -20, "admin:3");
      await post(books, 1, 20, "admin:4");

      const before = async (used: number): Promise<number[]> =>
        (await balancesBefore(books.db, 1, used)).toSorted((a, b) => a - b);
      expect(await before(0)).toEqual([0, 100]);
      expect(await before(30)).toEqual([70, 100, 120]);
      expect(await before(29)).toEqual([]);
      expect(await balancesBefore(books.db, 2, 0)).toEqual([77, 0]);
      expect(await balancesBefore(books.db, 3, 0)).toEqual([0]);
    });
  });
}
