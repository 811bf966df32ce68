/**
 * Gives holds to calls and ends them, and keeps the judge in memory and the queue to the database
 * in step. How the judge gets quota depends on the database: on SQLite this process owns every
 * balance as a whole; on PostgreSQL each reservation gets its amount from the database and returns
 * what it does not use.
 */

import { Refusal } from "#base/refusal.ts";
import type { FailedCallLog } from "#canonical/call-log.ts";
import type { NotHeld } from "#ports/hold.ts";
import { type BudgetJudge, type OpenBudget, openBudgetJudge } from "./budgets/budget-judge.ts";
import type { BudgetClaim } from "./budgets/budgets.ts";
import { type Debtors, openDebtors, type PayDebt } from "./debts/debtors.ts";
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
import type { ChargeRing } from "./lost/charge-ring.ts";
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
  /**
   * Pays a user's debt from the balance, of which it may take `most`. Called under the policy
   * `whole`.
   */
  readonly payDebt: PayDebt;
  /** Keeps the charges that the database has acknowledged; absent: it does not go back. */
  readonly ring?: ChargeRing | undefined;
};

export type ReserveAnswer =
  | { readonly kind: "held"; readonly hold: OpenHold }
  | Exclude<NotHeld, { readonly kind: "over-limit" }>;

export type Holds = {
  reserve(input: ReserveInput): ReserveAnswer | Promise<ReserveAnswer>;
  /**
   * Inserts a log row for a call that is not charged. Does not wait for the database, but the queue
   * keeps the row until it is written, as long as this process lives.
   */
  recordFailure(log: FailedCallLog): void;
  readonly money: Money;
  /** Tells what a user owed when the process started. */
  noteDebt(userId: number, debt: number): void;
  openCount(): number;
  /** Returns the request ids of the calls that run. */
  openIds(): readonly string[];
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

const noBudgets: readonly OpenBudget[] = [];

export function openHolds(given: HoldsDeps): Holds {
  const { onReversed, reversedUnits } = countReversed();
  const budgets = openBudgetJudge(given.queue);
  const debts = openDebtors(given.judge, given.payDebt);
  const deps = { ...given, onReversed, budgets, debts };
  const { judge, queue } = deps;
  const reserveExact = openExact(deps, takesCalls);

  function reserve(input: ReserveInput): ReserveAnswer | Promise<ReserveAnswer> {
    whole(input.want);
    whole(input.least);
    if (!takesCalls()) return reserveLater(input);
    if (deps.policy === "exact") return reserveExact(input);
    const { budget } = input;
    return budget === undefined ? reserveWhole(deps, input) : reserveInBudget(deps, input, budget);
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

  return {
    reserve,
    recordFailure: (log) => queue.post({ type: "fail", log }),
    money: openMoney(deps),
    noteDebt: debts.note,
    openCount: judge.openCount,
    openIds: judge.openIds,
    reversedUnits,
  };
}

type ExactDeps = Pick<HoldsDeps, "isCurrent" | "judge" | "now" | "queue" | "wait"> &
  Parameters<typeof exactHold>[0];

/** Reserves what the database grants, which each reservation asks. */
function openExact(deps: ExactDeps, takesCalls: () => boolean) {
  const { judge, queue } = deps;

  /** Nobody is refused for what calls hold that have ended and are not in the books yet. */
  async function reserve(input: ReserveInput): Promise<ReserveAnswer> {
    const late = deps.wait(storeWaitMs).then(() => null);
    const answer = await askDatabase(input, late);
    if (!isHeldByOthers(answer, input)) return answer;
    if ((await Promise.race([queue.caughtUp?.(), late])) !== true || !takesCalls()) return answer;
    const second = await askDatabase(input, late);
    return second.kind === "unavailable" ? answer : second;
  }

  async function askDatabase(input: ReserveInput, late: Promise<null>): Promise<ReserveAnswer> {
    const { id, userId, tokenId, want, least } = input;
    const taking = queue.push({ type: "take", facts: factsOf(input, deps.now()), want, least });
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
    if (result.type === "in-debt") return { kind: "in-debt", debt: result.debt };
    if (result.type === "over-budget") {
      const { window, resetsAt, available } = result;
      return { kind: "over-budget", window, resetsAt, available };
    }
    if (result.type === "refused") {
      const { by, available, rest } = result;
      return { kind: "refused", by, available, rest };
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

  return reserve;
}

type WholeDeps = Pick<HoldsDeps, "judge" | "now" | "queue" | "wait"> & {
  readonly budgets: BudgetJudge;
  readonly debts: Debtors;
  readonly onReversed: (amount: number) => void;
};

/** Decides in memory about a call whose token has budgets. */
function reserveInBudget(
  deps: WholeDeps,
  input: ReserveInput,
  claim: BudgetClaim,
): ReserveAnswer | Promise<ReserveAnswer> {
  const open = deps.budgets.find(input.tokenId, claim);
  return open === undefined ? openBudgets(deps, input, claim) : reserveWhole(deps, input, open);
}

/** Reads what was spent in the windows before, then decides. */
async function openBudgets(
  deps: WholeDeps,
  input: ReserveInput,
  claim: BudgetClaim,
): Promise<ReserveAnswer> {
  const opening = deps.budgets.open(input.tokenId, claim).then(() => true);
  const isOpen = await Promise.race([opening, deps.wait(storeWaitMs).then(() => false)]);
  const open = isOpen ? deps.budgets.find(input.tokenId, claim) : undefined;
  return open === undefined ? { kind: "unavailable" } : reserveWhole(deps, input, open);
}

/** Decides in memory; the database is informed afterwards. */
function reserveWhole(
  deps: WholeDeps,
  input: ReserveInput,
  open: readonly OpenBudget[] = noBudgets,
): ReserveAnswer {
  const { want, least } = input;
  const debt = deps.debts.of(input.userId);
  if (debt > 0) return { kind: "in-debt", debt };
  const accounts = accountsOf(input);
  const decision = deps.judge.reserve({ id: input.id, accounts, budgets: open, want, least });
  if (decision.kind === "over-budget") {
    const { kind, available, budget } = decision;
    const { window } = open.find((each) => each === budget) ?? {};
    if (window === undefined) throw new Error("the judge named another call's budget");
    return { kind, available, window: window.kind, resetsAt: window.end };
  }
  if (decision.kind === "refused") {
    const by = decision.account.startsWith("token:") ? "token" : "user";
    const { available, rest } = decision;
    return { kind: "refused", by, available, rest };
  }
  deps.queue.post({
    type: "open",
    facts: factsOf(input, deps.now()),
    amount: decision.amount,
  });
  return { kind: "held", hold: wholeHold(deps, input, open) };
}

function isHeldByOthers(answer: ReserveAnswer, { least }: ReserveInput): boolean {
  if (answer.kind === "over-budget") return true;
  return answer.kind === "refused" && answer.rest >= least;
}

function factsOf(input: ReserveInput, atMs: number): ReservationFacts {
  const { id, userId, tokenId, tokenLimited, modelName, group, tags, budget } = input;
  return { id, userId, tokenId, tokenLimited, modelName, group, tags, atMs, budget };
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

type MoneyDeps = {
  readonly policy: LendPolicy;
  readonly judge: Judge;
  readonly budgets: BudgetJudge;
  readonly debts: Debtors;
};

/**
 * Makes the interface through which the console changes balances. Under the policy `exact` the
 * judge is not asked, because the database checks the same conditions.
 */
function openMoney({ policy, judge, budgets, debts }: MoneyDeps): Money {
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
    async creditUser(userId, write) {
      const result = await write();
      if (policy === "exact" || result.posted === null) return result;
      lendWhole(`user:${userId}`, result.posted.moved);
      debts.note(userId, result.posted.debt);
      return result;
    },
    takeUser: async (userId, amount, write) =>
      policy === "exact" ? await write(amount) : await debts.take(userId, amount, write),
    openedUser: (userId, balance) => lendWhole(`user:${userId}`, balance),
    openedToken: (tokenId, remain) => lendWhole(`token:${tokenId}`, remain),
    rechargeUsers: async (wanted, write) =>
      policy === "exact" ? await write(wanted) : await debts.takeEach(wanted, write),
    refunded({ userId, tokenId, tokenLimited, amount, rerated, budgetAt }) {
      lendWhole(`user:${userId}`, amount + rerated);
      if (tokenLimited) lendWhole(`token:${tokenId}`, amount);
      if (budgetAt > 0) budgets.spend({ tokenId, at: budgetAt, amount: -amount, counted: [] });
    },
  };
}
