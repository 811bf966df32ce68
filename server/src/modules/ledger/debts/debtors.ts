/**
 * The users with debts, in the memory of the process that owns every balance. They get no holds,
 * and what their calls held and did not spend pays their debts.
 */

import type { AccountKey, Judge } from "#modules/ledger/judge.ts";
import type { Posted, Recharged } from "#modules/ledger/ledger.ts";

export type PayDebt = (userId: number, most: number) => Promise<{ readonly posted: Posted | null }>;

export type Debtors = {
  /** Returns what a user owes; 0: nothing. */
  of(userId: number): number;
  /** Tells what a user owes now. */
  note(userId: number, debt: number): void;
  /** Tells that a call of the user has ended, so that less of the balance is held. */
  freed(userId: number): void;
  /**
   * Runs `write` with what is free of the balance, at most `amount`, which no call can hold
   * meanwhile.
   */
  take<Result extends { readonly posted: Posted | null }>(
    userId: number,
    amount: number,
    write: (most: number) => Promise<Result>,
  ): Promise<Result>;
  /** Does the same for several users at once. */
  takeEach<Result extends Recharged>(
    wanted: ReadonlyMap<number, number>,
    write: (most: ReadonlyMap<number, number>) => Promise<Result>,
  ): Promise<Result>;
};

export function openDebtors(judge: Judge, payDebt: PayDebt): Debtors {
  const debts = new Map<number, number>();
  /** Users whose debts are being paid. */
  const paying = new Set<number>();

  function note(userId: number, debt: number): void {
    if (debt === 0) {
      debts.delete(userId);
      return;
    }
    debts.set(userId, debt);
    freed(userId);
  }

  /** Each call that ends comes here, so nothing is made for users without debts. */
  function freed(userId: number): void {
    if (debts.size > 0) pay(userId);
  }

  /** Does not wait for the database. What fails is tried again when the next call ends. */
  function pay(userId: number): void {
    const debt = debts.get(userId);
    if (debt === undefined || paying.has(userId) || judge.free(accountOf(userId)) <= 0) return;
    paying.add(userId);
    take(userId, debt, async (most) => await payDebt(userId, most)).then(
      () => {
        paying.delete(userId);
        freed(userId);
      },
      () => paying.delete(userId),
    );
  }

  async function take<Result extends { readonly posted: Posted | null }>(
    userId: number,
    amount: number,
    write: (most: number) => Promise<Result>,
  ): Promise<Result> {
    const account = accountOf(userId);
    const most = Math.max(0, Math.min(amount, judge.free(account)));
    judge.recall(account, most);
    let moved = 0;
    try {
      const result = await write(most);
      moved = result.posted?.moved ?? 0;
      if (result.posted !== null) note(userId, result.posted.debt);
      return result;
    } finally {
      if (most + moved > 0) judge.grant(account, most + moved);
    }
  }

  async function takeEach<Result extends Recharged>(
    wanted: ReadonlyMap<number, number>,
    write: (most: ReadonlyMap<number, number>) => Promise<Result>,
  ): Promise<Result> {
    const users = [...wanted];
    const most = new Map<number, number>();
    const next = async (at: number): Promise<Result> => {
      const [userId, amount] = users[at] ?? [];
      if (userId === undefined || amount === undefined) return await write(most);
      const { result } = await take(userId, amount, async (own) => {
        most.set(userId, own);
        const result = await next(at + 1);
        return { result, posted: result.posted.get(userId) ?? null };
      });
      return result;
    };
    return await next(0);
  }

  return { of: (userId) => debts.get(userId) ?? 0, note, freed, take, takeEach };
}

function accountOf(userId: number): AccountKey {
  return `user:${userId}`;
}
