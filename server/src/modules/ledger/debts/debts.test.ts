import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { bindStore } from "#db/store.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { ledgerStore } from "#modules/ledger/ledger.store.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import {
  closeTestBooks,
  loseNode,
  openTestBooks,
  setUpMs,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { call, openTestHolds, soon } from "#modules/ledger/testing/holds.ts";

afterEach(closeTestBooks);

const nowMs = setUpMs;

async function refund(books: TestBooks, amount: number, most?: number) {
  const cause = `payment_refund:${amount}`;
  return await books.db.transaction().execute(
    async (tx) =>
      await postEntry(tx, {
        cause,
        kind: "payment_refund",
        userId: 1,
        amount: -amount,
        most,
        detail: "",
        nowMs,
      }),
  );
}

async function post(books: TestBooks, kind: "aff_transfer" | "redeem" | "topup", amount: number) {
  const posting = { cause: `${kind}:${amount}`, kind, userId: 1, amount, detail: "", nowMs };
  return await books.db.transaction().execute(async (tx) => await postEntry(tx, posting));
}

async function accountOf({ db }: TestBooks) {
  const query = db.selectFrom("balances").select(["balance", "held", "debt"]);
  return await query.where("user_id", "=", 1).executeTakeFirstOrThrow();
}

const taking = (id: string, want: number) => ({
  type: "take" as const,
  facts: {
    id,
    userId: 1,
    tokenId: 0,
    tokenLimited: false,
    modelName: "m",
    group: "default",
    atMs: nowMs,
  },
  want,
  least: want,
});

for (const dialect of testDialects) {
  describe(`debts on ${dialect}`, () => {
    test("a refund takes what is there, and the rest is owed; credits pay it, gifts do not", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 100);
      expect(await refund(books, 130)).toEqual({ balance: 0, moved: -100, debt: 30, owed: 30 });
      expect(await refund(books, 5)).toEqual({ balance: 0, moved: 0, debt: 35, owed: 5 });
      expect(await post(books, "redeem", 10)).toEqual({ balance: 0, moved: 0, debt: 25, owed: 0 });
      expect(await post(books, "aff_transfer", 9)).toMatchObject({ moved: 0, debt: 16 });
      await books.credit(1, 7, "gift");
      expect(await accountOf(books)).toMatchObject({ balance: 7, debt: 16 });
      const paid = await post(books, "topup", 40);
      expect(paid).toMatchObject({ debt: 0, balance: 31 });
      expect(await post(books, "aff_transfer", 8)).toMatchObject({ balance: 39 });
    });

    test("not more is taken than the judge gave up, and later the rest is paid from what is free", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 100);
      expect(await refund(books, 80, 60)).toEqual({ balance: 40, moved: -60, debt: 20, owed: 20 });
      const pay = async (most: number) =>
        await bindStore(ledgerStore, books.db).payDebt(1, most, nowMs);
      expect(await pay(15)).toMatchObject({ posted: { balance: 25, debt: 5 } });
      expect(await pay(15)).toMatchObject({ posted: { balance: 20, debt: 0 } });
      expect(await pay(15)).toMatchObject({ posted: { balance: 20, debt: 0, moved: 0 } });
      const causes = await books.db.selectFrom("entries").select("cause").orderBy("seq").execute();
      expect(causes.slice(2)).toEqual([{ cause: "debt_paid:1:3" }, { cause: "debt_paid:1:4" }]);
    });

    test("the audit names an altered debt of a balance or entry", async () => {
      const books = await openTestBooks(dialect);
      await books.addUser("alice", 100);
      await refund(books, 130);
      await books.db.updateTable("balances").set({ debt: 29 }).execute();
      expect((await proveLedger(books.db)).flaw).toMatchObject({ check: "T1", table: "balances" });
      await books.db.updateTable("balances").set({ debt: 30 }).execute();
      await books.db.updateTable("entries").set({ debt: 29 }).where("debt", "=", 30).execute();
      expect((await proveLedger(books.db)).flaw).toMatchObject({ check: "T2", table: "entries" });
    });
  });
}

describe("debts on postgres", () => {
  test("no call begins; what calls held and did not spend pays in the same transaction", async () => {
    const books = await openTestBooks("postgres");
    await books.addUser("alice", 100);
    await books.apply([taking("a", 60), taking("b", 30)]);
    // 90 are held, so 10 are taken.
    expect(await refund(books, 50)).toMatchObject({ moved: -10, debt: 40 });
    expect(await books.apply([taking("c", 1)])).toEqual([{ type: "in-debt", debt: 40 }]);
    const release = { type: "release", id: "b", userId: 1, tokenId: 0 } as const;
    await books.apply([release]);
    expect(await accountOf(books)).toMatchObject({ balance: 60, held: 60, debt: 10 });
    await books.apply([release], "again");
    expect(await accountOf(books)).toMatchObject({ balance: 60, held: 60, debt: 10 });
    // The node dies: its hold is released, and pays the rest.
    await loseNode(books.db, "node-1");
    expect(await accountOf(books)).toMatchObject({ balance: 50, held: 0, debt: 0 });
    const kinds = await books.db.selectFrom("entries").select("kind").orderBy("seq").execute();
    expect(kinds.slice(1).map(({ kind }) => kind)).toEqual([
      "payment_refund",
      "debt_paid",
      "debt_paid",
    ]);
  });
});

describe("debts of the process that owns all balances", () => {
  const posted = { balance: 0, moved: 0, debt: 0, owed: 0 };

  test("no call begins; running ones go on, and what they did not spend pays when they end", async () => {
    const { holds, judge, store } = openTestHolds("whole");
    const running = await holds.reserve({ ...call, want: 70, least: 70 });
    if (running.kind !== "held") throw new Error(running.kind);
    const taken: number[] = [];
    await holds.money.takeUser(7, 80, async (most) => {
      taken.push(most);
      // What is being taken cannot be held.
      expect(judge.free("user:7")).toBe(0);
      return { posted: { ...posted, moved: -most, debt: 80 - most } };
    });
    expect(taken).toEqual([30]);
    const next = await holds.reserve({ ...call, id: "next", want: 1, least: 1 });
    expect(next).toEqual({ kind: "in-debt", debt: 50 });
    const paid = Promise.withResolvers<number>();
    store.payDebt = async (_userId, most) => {
      paid.resolve(most);
      return { posted: { ...posted, moved: 0 - most, debt: 50 - most } };
    };
    running.hold.release();
    expect(await paid.promise).toBe(50);
    await soon();
    expect(judge.free("user:7")).toBe(20);
    expect((await holds.reserve({ ...call, id: "last", want: 20, least: 20 })).kind).toBe("held");
  });

  test("a payment that fails gives its quota back to calls", async () => {
    const { holds, judge } = openTestHolds("whole");
    const failing = holds.money.takeUser(7, 80, async () => await Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(judge.free("user:7")).toBe(100);
  });
});
