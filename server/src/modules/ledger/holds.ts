/**
 * Gives holds to calls and ends them, and keeps the judge in memory and the queue to the database
 * in step. How the judge gets quota depends on the database: on SQLite this process owns every
 * balance as a whole; on PostgreSQL each reservation gets its amount from the database and returns
 * what it does not use.
 */

import { Refusal } from "#base/refusal.ts";
import type { FailedCallLog } from "#canonical/call-log.ts";
import {
  accountsOf,
  exactHold,
  type OpenHold,
  type ReserveInput,
  takenOf,
  wholeHold,
} from "./hold.ts";
import { type AccountKey, type Judge, whole } from "./judge.ts";
import type { Money } from "./ledger.ts";
import type { OperationResult, ReservationFacts } from "./operations.ts";
import type { OperationQueue } from "./queue.ts";

/**
 * How the judge gets quota. `whole`: every balance was granted to it at the start. `exact`: the
 * database grants each reservation its amount.
 */
export type LendPolicy = "exact" | "whole";

type HoldsDeps = {
  readonly policy: LendPolicy;
  readonly judge: Judge;
  readonly queue: OperationQueue;
  /**
   * Whether other nodes have no reason to take this node for dead. Otherwise they may release its
   * holds.
   */
  readonly isCurrent: () => boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

type ReserveAnswer =
  | { readonly kind: "held"; readonly hold: OpenHold }
  | {
      readonly kind: "refused";
      readonly by: "token" | "user";
      readonly available: number;
      /** Whether the account's quota is used up, and not only held by other calls. */
      readonly exhausted: boolean;
    }
  | { readonly kind: "unavailable" };

export type Holds = {
  reserve(input: ReserveInput): ReserveAnswer | Promise<ReserveAnswer>;
  /**
   * Inserts a log row for a call that is not charged. Does not wait for the database, but the queue
   * keeps the row until it is written, as long as this process lives.
   */
  recordFailure(log: FailedCallLog): void;
  readonly money: Money;
  openCount(): number;
  /** Returns the quota units of settlements that were reversed since the process started. */
  reversedUnits(): number;
};

/**
 * How long a new call waits for a store that does not commit, before it is refused, and how often
 * it checks meanwhile.
 */
const storeWaitMs = 1_000;
const storeWaitStepMs = 50;

/** The largest number of operations that may wait for the database before new calls are refused. */
const queueMax = 50_000;

export function openHolds(given: HoldsDeps): Holds {
  const { onReversed, reversedUnits } = countReversed();
  const deps = { ...given, onReversed };
  const { judge, queue } = deps;

  function reserve(input: ReserveInput): ReserveAnswer | Promise<ReserveAnswer> {
    whole(input.want);
    whole(input.least);
    if (!takesCalls()) return reserveLater(input);
    return deps.policy === "whole" ? reserveWhole(input) : reserveExact(input);
  }

  function takesCalls(): boolean {
    return deps.isCurrent() && !queue.failing() && queue.length() <= queueMax;
  }

  async function reserveLater(input: ReserveInput): Promise<ReserveAnswer> {
    for (let waited = 0; waited < storeWaitMs; waited += storeWaitStepMs) {
      await deps.wait(storeWaitStepMs);
      if (takesCalls()) return await reserve(input);
    }
    return { kind: "unavailable" };
  }

  function reserveWhole(input: ReserveInput): ReserveAnswer {
    const { want, least } = input;
    const decision = judge.reserve({ id: input.id, accounts: accountsOf(input), want, least });
    if (decision.kind === "refused") {
      const by = decision.account.startsWith("token:") ? "token" : "user";
      const { available, exhausted } = decision;
      return { kind: "refused", by, available, exhausted };
    }
    queue.post({
      type: "open",
      facts: factsOf(input, deps.now()),
      amount: decision.amount,
    });
    return { kind: "held", hold: wholeHold(deps, input) };
  }

  async function reserveExact(input: ReserveInput): Promise<ReserveAnswer> {
    const { id, userId, tokenId, want, least } = input;
    const taking = queue.push({ type: "take", facts: factsOf(input, deps.now()), want, least });
    const late = deps.wait(storeWaitMs).then(() => null);
    const result = await Promise.race([taking, late]);
    if (result === null || !deps.isCurrent()) {
      // Releases the reservation that the database may still grant after the call was refused.
      const giveBack = ({ type }: OperationResult): void => {
        if (type === "taken") queue.post({ type: "release", id, userId, tokenId });
      };
      taking.then(giveBack, () => {});
      return { kind: "unavailable" };
    }
    if (result.type === "interrupted") return { kind: "unavailable" };
    if (result.type === "refused") {
      const { by, available, exhausted } = result;
      return { kind: "refused", by, available, exhausted };
    }
    const amount = takenOf(result);
    lendAndHold(input, amount);
    return { kind: "held", hold: exactHold(deps, input) };
  }

  function lendAndHold(input: ReserveInput, amount: number): void {
    const accounts = accountsOf(input);
    for (const account of accounts) judge.grant(account, amount);
    judge.reserve({ id: input.id, accounts, want: amount, least: amount });
  }

  return {
    reserve,
    recordFailure: (log) => queue.post({ type: "fail", log }),
    money: openMoney(deps.policy, judge),
    openCount: judge.openCount,
    reversedUnits,
  };
}

function factsOf(input: ReserveInput, atMs: number): ReservationFacts {
  const { id, userId, tokenId, tokenLimited, modelName, group } = input;
  return { id, userId, tokenId, tokenLimited, modelName, group, atMs };
}

function countReversed() {
  let units = 0;
  return {
    onReversed(amount: number): void {
      units += amount;
    },
    reversedUnits: () => units,
  };
}

/**
 * Makes the interface through which the console changes balances. Under the policy `exact` the
 * judge is not asked, because the database checks the same conditions.
 */
function openMoney(policy: LendPolicy, judge: Judge): Money {
  async function move<Result>(
    account: AccountKey,
    amount: number,
    write: () => Promise<Result>,
  ): Promise<Result> {
    if (policy === "exact" || amount === 0) return await write();
    if (amount > 0) {
      const result = await write();
      judge.grant(account, amount);
      return result;
    }
    if (!judge.recall(account, -amount)) {
      throw new Refusal("quota-too-low", "剩余额度不能小于0");
    }
    try {
      return await write();
    } catch (error) {
      judge.grant(account, -amount);
      throw error;
    }
  }

  const lendWhole = (account: AccountKey, amount: number): void => {
    if (policy === "whole" && amount > 0) judge.grant(account, amount);
  };
  return {
    moveUser: (userId, amount, write) => move(`user:${userId}`, amount, write),
    moveToken: (tokenId, amount, write) => move(`token:${tokenId}`, amount, write),
    openedUser: (userId, balance) => lendWhole(`user:${userId}`, balance),
    openedToken: (tokenId, remain) => lendWhole(`token:${tokenId}`, remain),
  };
}
