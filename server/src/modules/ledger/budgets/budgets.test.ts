import { afterEach, describe, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type BudgetClaim, claimBudgets } from "./budgets.ts";
import { findSumFlaw } from "#modules/proof/proof.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import {
  applyAs,
  closeTestBooks,
  epochOf,
  loseNode,
  more,
  openTestBooks,
  release,
  settle,
  take,
  type TestBooks,
} from "#modules/ledger/testing/books.ts";
import { call, openTestHolds } from "#modules/ledger/testing/holds.ts";

afterEach(closeTestBooks);

/** Wednesday, 2026-11-25, 15:00:00 UTC. */
const wednesday = Date.UTC(2026, 10, 25, 15) / 1_000;
const dayEnd = Date.UTC(2026, 10, 26) / 1_000;

const claimAt = (at: number, limits: Partial<Record<"day" | "month" | "week", number>> = {}) =>
  claimBudgets({ day: 100, week: 0, month: 0, ...limits }, "UTC", at);

const budget = claimAt(wednesday);

async function openRich(dialect: "postgres" | "sqlite"): Promise<TestBooks> {
  const books = await openTestBooks(dialect);
  const userId = await books.addUser("alice", 10_000);
  await books.addToken(userId, "laptop", 5_000);
  return books;
}

async function readBudgets({ db }: TestBooks) {
  return await db
    .selectFrom("token_budgets")
    .select(["kind", "spent", "held"])
    .orderBy("starts_at")
    .execute();
}

test("a claim names the day, the week and the month in which a call is reserved", () => {
  const limits = { day: 1, week: 2, month: 3 };
  expect(claimBudgets(limits, "UTC", wednesday).windows).toEqual([
    { kind: "day", limit: 1, start: Date.UTC(2026, 10, 25) / 1_000, end: dayEnd },
    {
      kind: "week",
      limit: 2,
      start: Date.UTC(2026, 10, 23) / 1_000,
      end: Date.UTC(2026, 10, 30) / 1_000,
    },
    {
      kind: "month",
      limit: 3,
      start: Date.UTC(2026, 10, 1) / 1_000,
      end: Date.UTC(2026, 11, 1) / 1_000,
    },
  ]);
  const evening = Date.UTC(2026, 10, 30, 17) / 1_000;
  expect(claimBudgets({ day: 0, week: 0, month: 3 }, "Asia/Shanghai", evening).windows).toEqual([
    {
      kind: "month",
      limit: 3,
      start: Date.UTC(2026, 10, 30, 16) / 1_000,
      end: Date.UTC(2026, 11, 31, 16) / 1_000,
    },
  ]);
});

for (const dialect of testDialects) {
  describe(`a token's budgets on ${dialect}`, () => {
    test("count what was charged in each window, and a reversed charge no more", async () => {
      const books = await openRich(dialect);
      const claim = claimAt(wednesday, { day: 100, month: 500 });
      await books.apply([
        { type: "budget", tokenId: 1, budget: claim },
        settle(30, { id: "a", budget: claim, charged: 30 }),
        settle(20, { id: "b", budget: claim, charged: 20 }),
        settle(7, { id: "c", charged: 7 }),
      ]);
      const log = chargedLog({ requestId: "b", userId: 1, tokenId: 1 });
      const reverse = { type: "reverse", id: "b", tokenLimited: true, charge: 20, log } as const;
      await books.apply([{ ...reverse, atMs: 1_763_700_000_000, budget: claim }]);

      expect(await readBudgets(books)).toEqual([
        { kind: "month", spent: 30, held: 0 },
        { kind: "day", spent: 30, held: 0 },
      ]);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    test("of a window that is new count the calls that were reserved in it before", async () => {
      const books = await openRich(dialect);
      const early = claimAt(wednesday, { day: 100 });
      await books.apply([
        { type: "budget", tokenId: 1, budget: early },
        settle(30, { id: "a", budget: early, charged: 30 }),
      ]);
      const later = claimAt(wednesday + 60, { day: 0, week: 400 });
      const [answer] = await books.apply([{ type: "budget", tokenId: 1, budget: later }]);
      expect(answer).toEqual({ type: "spent", amounts: [30] });
      const next = claimAt(dayEnd);
      const [fresh] = await books.apply([{ type: "budget", tokenId: 1, budget: next }]);
      expect(fresh).toEqual({ type: "spent", amounts: [0] });
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    test("a call that ends after midnight counts in the day of its reservation", async () => {
      const books = await openRich(dialect);
      const late = claimAt(dayEnd - 1);
      await books.apply([{ type: "budget", tokenId: 1, budget: late }]);
      await books.apply([{ type: "budget", tokenId: 1, budget: claimAt(dayEnd + 5) }]);
      await books.apply([settle(40, { id: "a", budget: late, charged: 40 })]);
      expect(await readBudgets(books)).toMatchObject([{ spent: 40 }, { spent: 0 }]);
    });

    test("T6: a spent amount or a window that was altered is found", async () => {
      const books = await openRich(dialect);
      await books.apply([
        { type: "budget", tokenId: 1, budget },
        settle(30, { id: "a", budget, charged: 30 }),
      ]);
      for (const change of [{ spent: 29 }, { kind: "week" as const }, { ends_at: dayEnd + 3 }]) {
        await books.db.updateTable("token_budgets").set(change).execute();
        expect(await findSumFlaw(books.db)).toMatchObject({ check: "T6", table: "token_budgets" });
        const right = { spent: 30, kind: "day", ends_at: dayEnd } as const;
        await books.db.updateTable("token_budgets").set(right).execute();
        expect(await findSumFlaw(books.db)).toBeNull();
      }
    });
  });
}

if (testDialects.includes("postgres")) {
  describe("budgets that nodes share on PostgreSQL", () => {
    test("refuse what is over a budget, and say when it resets", async () => {
      const books = await openRich("postgres");
      expect(await books.apply([take(70, { id: "a", budget })])).toEqual([
        { type: "taken", amount: 70 },
      ]);
      expect(await books.apply([take(31, { id: "b", budget })])).toEqual([
        { type: "over-budget", window: "day", resetsAt: dayEnd, available: 30 },
      ]);
      // A stream begins with less, and is extended only as far as the budget goes.
      expect(await books.apply([take(50, { id: "c", least: 1, budget })])).toEqual([
        { type: "taken", amount: 30 },
      ]);
      expect(await books.apply([more(10, 30, { id: "c", budget })])).toEqual([
        { type: "taken", amount: 0, short: "budget" },
      ]);
      expect(await readBudgets(books)).toEqual([{ kind: "day", spent: 0, held: 100 }]);
      expect(await findSumFlaw(books.db)).toBeNull();

      await books.apply([release({ id: "c" }), settle(90, { id: "a", budget })]);
      expect(await readBudgets(books)).toEqual([{ kind: "day", spent: 90, held: 0 }]);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    test("charge what was held even if the budget was lowered meanwhile", async () => {
      const books = await openRich("postgres");
      await books.apply([take(60, { id: "a", budget })]);
      const lowered = claimAt(wednesday, { day: 10 });
      expect(await books.apply([settle(80, { id: "a", budget: lowered })])).toEqual([
        { type: "settled", charged: 60, writeOff: 20 },
      ]);
    });

    test("P-M2: 200 calls at once on three nodes spend no more than the budget", async () => {
      const books = await openRich("postgres");
      for (const nodeId of ["node-0", "node-1", "node-2"]) await epochOf(books.db, nodeId);
      const results = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const operation = take(7, { id: `c${index}`, tokenLimited: index % 2 === 0, budget });
          const [result] = await applyAs(books.db, `node-${index % 3}`, [operation]);
          return result?.type;
        }),
      );
      expect(results.filter((type) => type === "taken")).toHaveLength(14);
      expect(results.filter((type) => type === "over-budget")).toHaveLength(186);
      expect(await readBudgets(books)).toEqual([{ kind: "day", spent: 0, held: 98 }]);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    test("a dead node's calls hold nothing of a budget any more", async () => {
      const books = await openRich("postgres");
      await applyAs(books.db, "dead", [take(80, { id: "a", budget })]);
      await loseNode(books.db, "dead");
      expect(await readBudgets(books)).toEqual([{ kind: "day", spent: 0, held: 0 }]);
      expect(await findSumFlaw(books.db)).toBeNull();
    });

    test("T8: a held amount that no reservation explains is found", async () => {
      const books = await openRich("postgres");
      await books.apply([take(80, { id: "a", budget })]);
      await books.db.updateTable("token_budgets").set({ held: 79 }).execute();
      expect(await findSumFlaw(books.db)).toMatchObject({ check: "T8", table: "token_budgets" });
    });
  });
}

describe("budgets under the whole policy", () => {
  const asking = (spent: number) => {
    const holds = openTestHolds("whole");
    const { answer } = holds.store;
    holds.store.answer = (operation) =>
      operation.type === "budget" ? { type: "spent", amounts: [spent] } : answer(operation);
    return holds;
  };
  const small: BudgetClaim = claimAt(wednesday, { day: 50 });

  test("the first call of a window asks what was spent before, later ones do not wait", async () => {
    const { holds, hold, sent } = asking(5);
    const first = await hold({ budget: small, want: 40, least: 40 });
    expect(first.amount()).toBe(40);
    expect(holds.reserve({ ...call, id: "r2", budget: small, want: 6, least: 6 })).toEqual({
      kind: "over-budget",
      window: "day",
      resetsAt: dayEnd,
      available: 5,
    });
    expect(sent().filter((type) => type === "budget")).toHaveLength(1);
  });

  test("many first calls at once spend no more than the budget", async () => {
    const { holds } = asking(0);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        holds.reserve({ ...call, id: `r${index}`, budget: small, want: 9, least: 9 }),
      ),
    );
    expect(answers.filter(({ kind }) => kind === "held")).toHaveLength(5);
    expect(answers.filter(({ kind }) => kind === "over-budget")).toHaveLength(15);
  });

  test("a lowered budget refuses new calls, and what was held is charged", async () => {
    const { holds, hold } = asking(0);
    const first = await hold({ budget: small, want: 40, least: 40 });
    const lowered = claimAt(wednesday, { day: 10 });
    const next = { ...call, id: "r2", budget: lowered, want: 1, least: 1 };
    expect(holds.reserve(next)).toMatchObject({ kind: "over-budget", available: 0 });
    const log = chargedLog({ requestId: "r1", userId: 7, tokenId: 3 });
    expect(await first.settle({ charge: 45, log })).toMatchObject({ charged: 40 });
  });

  test("a reversed charge is left of the budget again", async () => {
    const { holds, hold, store, pass } = asking(0);
    const { answer } = store;
    store.answer = (operation) =>
      operation.type === "reverse"
        ? { type: "reversed", amount: 40, rerated: 0 }
        : answer(operation);
    const first = await hold({ budget: small, want: 40, least: 40 });
    const log = chargedLog({ requestId: "r1", userId: 7, tokenId: 3 });
    await first.settle({ charge: 40, log });
    first.reverse();
    await pass(0);
    const next = { ...call, id: "r2", budget: small, want: 50, least: 50 };
    expect(await holds.reserve(next)).toMatchObject({ kind: "held" });
  });
});
