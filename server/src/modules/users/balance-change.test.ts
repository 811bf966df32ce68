import { describe, expect, test } from "bun:test";
import type { Db } from "#db/database.ts";
import type { EntryKind } from "#db/tables/ledger.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { blankRow } from "#modules/logs/logs.ts";
import { readBalanceChange } from "./balance-change.repo.ts";

const hour = 3_600;
const day = 24 * hour;
/** The start of a day of UTC, and half a day later. */
const today = 1_800_057_600 - (1_800_057_600 % day);
const now = today + 12 * hour;

type Change = { readonly at: number; readonly kind: EntryKind; readonly amount: number };

async function addEntries(db: Db, changes: readonly Change[]): Promise<number> {
  let balance = 0;
  const rows = changes.map(({ at, kind, amount }, index) => ({
    cause: `c${index}`,
    kind,
    user_id: 7,
    seq: index + 1,
    token_id: 0,
    channel_id: 0,
    amount,
    balance_after: (balance += amount),
    used_after: 0,
    log_id: 0,
    detail: "",
    created_at: at,
    budget_at: 0,
    debt: 0,
    hash: "",
  }));
  await db.insertInto("entries").values(rows).execute();
  const head = { held: 0, debt: 0, used: 0, head_hash: "" };
  await db
    .insertInto("balances")
    .values({ user_id: 7, balance, entry_count: rows.length, ...head })
    .execute();
  return balance;
}

type Spent = {
  readonly at: number;
  readonly model: string;
  readonly token?: number;
  readonly quota: number;
};

async function addHours(db: Db, spent: readonly Spent[]): Promise<void> {
  const counts = { request_count: 1, prompt_tokens: 1, completion_tokens: 1 };
  const rows = spent.map(({ at, model, token = 0, quota }) => ({
    hour: at - (at % hour),
    user_id: 7,
    token_id: token,
    channel_id: 1,
    model_name: model,
    group: "default",
    quota,
    ...counts,
  }));
  await db.insertInto("usage_hours").values(rows).execute();
}

const asked = { userId: 7, start: today, now, ahead: 0 };

for (const dialect of testDialects) {
  describe(`why a balance is what it is on ${dialect}`, () => {
    test("what it was, what came and what calls have cost are what it is now, to the unit", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const balance = await addEntries(db, [
        { at: today - day, kind: "gift", amount: 10_000 },
        { at: today - 5, kind: "settle", amount: -300 },
        { at: today + 60, kind: "settle", amount: -1_200 },
        { at: today + 70, kind: "topup", amount: 5_000 },
        { at: today + 80, kind: "settle", amount: -34 },
        // A call of yesterday is charged again, and one is given back.
        { at: today + 90, kind: "rerate", amount: -6 },
        { at: today + 95, kind: "refund", amount: 100 },
        { at: today + 99, kind: "redeem", amount: 50 },
      ]);
      await addHours(db, [
        { at: today - 5, model: "a", quota: 206 },
        { at: today + 60, model: "a", token: 3, quota: 1_200 },
        { at: today + 80, model: "b", quota: 34 },
      ]);
      const logs = [1_200, 34].map((quota, index) => ({
        ...blankRow,
        request_id: `r${index}`,
        type: 2,
        user_id: 7,
        created_at: today + 60 + index,
        model_name: "a",
        quota,
      }));
      await db.insertInto("logs").values(logs).execute();

      const found = await readBalanceChange(db, asked);

      expect(found).toMatchObject({ before: 9_700, now: balance, calls: -1_140, later: -94 });
      expect(found.money).toEqual([
        { kind: "redeem", amount: 50 },
        { kind: "topup", amount: 5_000 },
      ]);
      const money = found.money.reduce((sum, { amount }) => sum + amount, 0);
      expect(found.before + money + found.calls).toBe(balance);
      for (const parts of [found.models, found.tokens]) {
        const charged = parts.reduce((sum, { quota }) => sum + quota, 0);
        expect(charged + found.later).toBe(0 - found.calls);
      }
      expect(found.models.map(({ name, quota }) => [name, quota])).toEqual([
        ["a", 1_200],
        ["b", 34],
      ]);
      expect(found.dearest.map(({ quota }) => quota)).toEqual([1_200, 34]);
      await close();
    });

    test("only the largest models are named, and the others are one part", async () => {
      const { db, close } = await openTestDatabase(dialect);
      const spent = Array.from({ length: 12 }, (_, at) => ({
        at: today,
        model: `m${at}`,
        quota: 12 - at,
      }));
      await addHours(db, spent);
      const { models } = await readBalanceChange(db, asked);
      expect(models).toHaveLength(8);
      expect(models.at(-1)).toEqual({ id: 0, name: null, quota: 1 + 2 + 3 + 4 + 5 });
      await close();
    });

    test("each day is expected to cost what the same weekday has cost; two days are too little to say", async () => {
      const { db, close } = await openTestDatabase(dialect);
      await addEntries(db, [{ at: today - 9 * day, kind: "topup", amount: 1_000 }]);
      const daysAgo = (days: number) => today - days * day + hour;
      await addHours(db, [
        { at: daysAgo(7), model: "a", quota: 200 },
        { at: daysAgo(6), model: "a", quota: 400 },
      ]);
      expect((await readBalanceChange(db, asked)).forecast).toBeNull();
      await addHours(db, [{ at: daysAgo(1), model: "a", quota: 1_000 }]);
      // Half of today costs 100 and tomorrow 400; five days later the last 500 are half of the day.
      expect((await readBalanceChange(db, asked)).forecast).toEqual({
        week: 1_600,
        empty_at: today + 6 * day + day / 2,
      });
      await close();
    });

    test("nothing has happened to a new user", async () => {
      const { db, close } = await openTestDatabase(dialect);
      expect(await readBalanceChange(db, asked)).toMatchObject({
        before: 0,
        now: 0,
        calls: 0,
        later: 0,
        money: [],
        models: [],
        forecast: null,
      });
      await close();
    });
  });
}
