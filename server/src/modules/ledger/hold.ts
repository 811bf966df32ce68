/**
 * The hold of one call, from reservation to settlement or release, under both lend policies:
 * `whole`, where the judge in memory decides, and `exact`, where the database decides.
 */

import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { BudgetJudge } from "./budgets/budget-judge.ts";
import type { Debtors } from "./debts/debtors.ts";
import { type AccountKey, type BudgetAccount, type Judge, type Short, whole } from "./judge.ts";
import type { Operation, OperationResult, ReservationFacts } from "./operations.ts";
import type { ChargeRing } from "./lost/charge-ring.ts";
import type { OperationQueue } from "./queue.ts";

export type ReserveInput = Omit<ReservationFacts, "atMs"> & {
  readonly want: number;
  readonly least: number;
};

export type OpenHold = {
  amount(): number;
  extend(want: number): number | Promise<number>;
  shortOf(): Short | "limit";
  settle(settlement: Settling): Promise<Settled>;
  /**
   * Gives back what `settle` charged or will charge. May be called once, after `settle`, and
   * returns before the database knows.
   */
  reverse(): void;
  release(): void;
};

type Settling = { readonly charge: number; readonly log: ChargedCallLog };
type Settled = { readonly charged: number; readonly writeOff: number };

/**
 * Takes what was charged and given back, or not charged after all; `rerated` is what the user got
 * back beside it, below 0: what was taken back.
 */
type Undo = { undo(amount: number, rerated: number): void };

/** Under the policy `exact` the database has the amount again, and the judge must not have it too. */
const nothing: Undo = { undo() {} };

type Deps = {
  readonly judge: Judge;
  readonly budgets: BudgetJudge;
  readonly debts: Debtors;
  readonly queue: OperationQueue;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called with the quota units that a reversed settlement gave back. */
  readonly onReversed: (amount: number) => void;
  /** Keeps what the database has acknowledged; absent: a database like this does not go back. */
  readonly ring?: ChargeRing | undefined;
};

/**
 * Opens a call's hold under the policy `whole`: the judge decides in memory, and the database is
 * informed afterwards.
 */
export function wholeHold(
  deps: Deps,
  input: ReserveInput,
  budgets: readonly BudgetAccount[],
): OpenHold {
  return new WholeHold(deps, input, budgets);
}

/** A class, because every call has one: a literal would need a closure for each method. */
class WholeHold implements OpenHold, Undo {
  readonly #deps: Deps;
  readonly #input: ReserveInput;
  /** The budgets of the token in which the call counts. */
  readonly #budgets: readonly BudgetAccount[];
  #settlement: Settlement | undefined;

  constructor(deps: Deps, input: ReserveInput, budgets: readonly BudgetAccount[]) {
    this.#deps = deps;
    this.#input = input;
    this.#budgets = budgets;
  }

  amount(): number {
    return this.#deps.judge.amountOf(this.#input.id) ?? 0;
  }

  extend(want: number): number {
    return this.#deps.judge.extend(this.#input.id, want);
  }

  shortOf(): Short {
    return this.#deps.judge.shortOf(this.#input.id);
  }

  async settle({ charge, log }: Settling): Promise<Settled> {
    const { judge, budgets, debts, queue } = this.#deps;
    const { id, userId, tokenId, tokenLimited, budget } = this.#input;
    const { charged } = judge.settle(id, charge);
    debts.freed(userId);
    if (budget !== undefined) {
      budgets.spend({ tokenId, at: budget.at, amount: charged, counted: this.#budgets });
    }
    this.#settlement = { type: "settle", id, tokenLimited, charge, charged, log, budget };
    return await pushSettlement(queue, this.#settlement, this);
  }

  reverse(): void {
    pushReversal(this.#deps, this.#settlement, this);
  }

  release(): void {
    const { judge, debts, queue } = this.#deps;
    const { id, tokenId, userId } = this.#input;
    judge.release(id);
    debts.freed(userId);
    queue.post({ type: "release", id, userId, tokenId });
  }

  undo(amount: number, rerated: number): void {
    const { judge, budgets } = this.#deps;
    const { tokenId, budget } = this.#input;
    lend(judge, this.#input, amount, rerated);
    if (budget === undefined) return;
    budgets.spend({ tokenId, at: budget.at, amount: -amount, counted: [] });
  }
}

/**
 * Opens a call's hold under the policy `exact`: the database decides, and the judge in memory holds
 * only what the database granted for this call.
 */
export function exactHold(deps: Deps, input: ReserveInput): OpenHold {
  const { judge, queue } = deps;
  const { id, tokenLimited, userId, tokenId, budget } = input;
  let settlement: Settlement | undefined;
  /**
   * The last extension of this hold; the next one waits for it. Each extension sends as `before`
   * the amount held before it, by which the database detects that it has made this extension
   * already.
   */
  let extended: Promise<unknown> = Promise.resolve();
  /** How many extensions are on their way. The end of the call must not overtake them. */
  let extending = 0;
  let short: Short = "user";

  /**
   * Takes the whole grant out of the judge: the database charges it or takes it back.
   * @returns how much it was.
   */
  function end(): number {
    const amount = judge.amountOf(id) ?? 0;
    judge.release(id);
    for (const account of accountsOf(input)) judge.recall(account, amount);
    return amount;
  }

  async function extendNow(want: number): Promise<number> {
    const before = judge.amountOf(id);
    if (before === undefined) return 0;
    const call = { id, userId, tokenId, tokenLimited, budget };
    const result = await queue.push({ type: "more", ...call, before, want });
    const amount = result.type === "interrupted" ? await takeAgain(before, want) : takenOf(result);
    if (result.type === "taken" && result.short !== undefined) short = result.short;
    // The call may have ended while the database extended its reservation. The end of the call has
    // then returned the added quota, too.
    if (judge.amountOf(id) === undefined) return 0;
    for (const account of accountsOf(input)) judge.grant(account, amount);
    return judge.extend(id, amount);
  }

  /**
   * Reserves the whole hold anew, because the database has none of it: it went back. Returns what is
   * added to it.
   */
  async function takeAgain(before: number, want: number): Promise<number> {
    if (judge.amountOf(id) === undefined) return 0;
    const { modelName, group, tags } = input;
    const call = { id, userId, tokenId, tokenLimited, modelName, group, tags, budget };
    const facts = { ...call, atMs: deps.now() };
    const taking = { type: "take", facts, want: before + want, least: before } as const;
    return Math.max(0, takenOf(await queue.push(taking)) - before);
  }

  return {
    amount: () => judge.amountOf(id) ?? 0,
    async extend(want) {
      whole(want);
      extending += 1;
      const extension = extended.then(async () => await extendNow(want));
      extended = extension.catch(() => {});
      try {
        return await extension;
      } finally {
        extending -= 1;
      }
    },
    shortOf: () => short,
    async settle({ charge, log }) {
      whole(charge);
      const isHeld = charge <= end() && extending === 0;
      const charged = isHeld ? charge : null;
      settlement = { type: "settle", id, tokenLimited, charge, charged, log, budget };
      const settled = await pushSettlement(queue, settlement, nothing);
      deps.ring?.note(settlement, settled.charged);
      return settled;
    },
    reverse: () => pushReversal(deps, settlement, nothing),
    release() {
      end();
      const behind = extending === 0 ? {} : ({ behind: true } as const);
      queue.post({ type: "release", id, userId, tokenId, ...behind });
    },
  };
}

/**
 * Returns the accounts on which a call holds quota: the user's balance and, if the token is
 * limited, the token's quota.
 */
export function accountsOf(input: ReserveInput): readonly [AccountKey, ...AccountKey[]] {
  const user: AccountKey = `user:${input.userId}`;
  return input.tokenLimited ? [user, `token:${input.tokenId}`] : [user];
}

export function takenOf(result: OperationResult): number {
  return result.type === "taken" ? result.amount : 0;
}

/**
 * Increases the quota that the judge may hold and spend on the call's accounts. A re-rate has changed
 * the user's balance only.
 */
function lend(judge: Judge, input: ReserveInput, amount: number, rerated: number): void {
  const [user, ...others] = accountsOf(input);
  if (amount + rerated > 0) judge.grant(user, amount + rerated);
  for (const account of others) judge.grant(account, amount);
}

type Settlement = Operation & { readonly type: "settle" };

/**
 * Sends the reversal of a settlement. The queue keeps the order: if the settlement is ever written,
 * it is written before the reversal.
 *
 * @param undo is given the amount that was given back.
 */
function pushReversal(
  { queue, now, onReversed, ring }: Deps,
  settlement: Settlement | undefined,
  undo: Undo,
): void {
  if (settlement === undefined) throw new Error("what was not settled cannot be given back");
  const { id, tokenLimited, charge, log, budget } = settlement;
  const reversal = { type: "reverse", id, tokenLimited, charge, log, atMs: now(), budget } as const;
  const giveBack = (result: OperationResult): void => {
    if (result.type !== "reversed" || result.amount === 0) return;
    ring?.note(reversal, result.amount);
    undo.undo(result.amount, result.rerated);
    onReversed(result.amount);
  };
  queue.push(reversal).then(giveBack, () => {});
}

/**
 * Sends a settlement and waits for its result. If the database refuses it permanently, nothing is
 * charged: `undo` is then given what the judge had charged.
 */
async function pushSettlement(
  queue: OperationQueue,
  settlement: Settlement,
  undo: Undo,
): Promise<Settled> {
  try {
    const result = await queue.push(settlement);
    if (result.type !== "settled") throw new Error(`a settlement ended as ${result.type}`);
    return { charged: result.charged, writeOff: result.writeOff };
  } catch (error) {
    undo.undo(settlement.charged ?? 0, 0);
    const { userId, tokenId } = settlement.log;
    queue.post({ type: "release", id: settlement.id, userId, tokenId });
    throw error;
  }
}
