/** Quota for tests of the relay: one user's balance in memory, by the rules of the ledger. */

import type { Hold, HoldAnswer, HoldRequest, Settlement } from "#ports/hold.ts";

export type TestMoney = {
  balance: number;
  /** What the user owes. */
  debt: number;
  /** What is left of the token's quota; counts only for tokens with a limit. */
  tokenRemain: number;
  held: number;
  /** Whether settlements are committed. While false, they stay pending. */
  committing: boolean;
  /** Returns the number of settlements that wait for `committing`. */
  uncommitted(): number;
  /** What the holds were asked for, in order. */
  readonly asked: HoldRequest[];
  readonly settled: Settlement[];
  /** The settlements that were reversed, in the order of the reversals. */
  readonly reversed: Settlement[];
  released: number;
  extended: number;
  /** Whether `reserve` and `extend` return promises, as if the database had to be asked. */
  asks: boolean;
};

export function openTestMoney(
  balance: number,
): TestMoney & { reserve(request: HoldRequest): HoldAnswer } {
  const waiting: (() => void)[] = [];
  let committing = true;
  const money: TestMoney = {
    balance,
    debt: 0,
    tokenRemain: Infinity,
    held: 0,
    get committing() {
      return committing;
    },
    set committing(value: boolean) {
      committing = value;
      if (value) for (const go of waiting.splice(0)) go();
    },
    uncommitted: () => waiting.length,
    asked: [],
    settled: [],
    reversed: [],
    released: 0,
    extended: 0,
    asks: false,
  };
  const commit = async (): Promise<void> => {
    if (!committing) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const reserve = (request: HoldRequest): HoldAnswer => {
    money.asked.push(request);
    if (money.debt > 0) return { kind: "in-debt", debt: money.debt };
    const available = money.balance - money.held;
    if (available < request.least) {
      return { kind: "refused", by: "user", available, rest: money.balance };
    }
    const remain = request.tokenLimited ? money.tokenRemain : Infinity;
    if (remain < request.least) {
      return { kind: "refused", by: "token", available: remain, rest: remain };
    }
    const amount = Math.min(request.want, available, remain);
    return { kind: "held", hold: openHold(money, amount, commit) };
  };
  return Object.assign(money, { reserve });
}

/** Makes a hold that throws if it ends a second time, which the relay must never cause. */
function openHold(money: TestMoney, given: number, commit: () => Promise<void>): Hold {
  let amount = given;
  let ended = false;
  let last: Settlement | undefined;
  money.held += given;
  const end = (): void => {
    if (ended) throw new Error("a hold ended twice");
    ended = true;
    money.held -= amount;
  };
  return {
    amount: () => amount,
    extend(want) {
      const added = Math.max(0, Math.min(want, money.balance - money.held));
      amount += added;
      money.held += added;
      money.extended += added;
      return money.asks ? Promise.resolve(added) : added;
    },
    shortOf: () => "user",
    async settle(settlement) {
      end();
      last = settlement;
      await commit();
      const charged = Math.min(settlement.charge, money.balance - money.held);
      money.balance -= charged;
      money.settled.push(settlement);
      return { charged, writeOff: settlement.charge - charged };
    },
    reverse() {
      if (last === undefined || money.reversed.includes(last)) {
        throw new Error("a hold was given back twice, or before it was settled");
      }
      money.reversed.push(last);
    },
    release() {
      end();
      money.released += 1;
    },
  };
}
