/**
 * Budgets under the policy `whole`, where this process alone decides about holds. It reads what a
 * token has spent in a window once, when the first call of the window arrives, and counts from
 * then on in memory.
 */

import type { BudgetClaim, BudgetWindow } from "./budgets.ts";
import type { BudgetAccount } from "#modules/ledger/judge.ts";
import type { OperationQueue } from "#modules/ledger/queue.ts";

/** A window of a token, with what is left of its budget. */
export type OpenBudget = BudgetAccount & {
  readonly window: BudgetWindow;
  /** The limit of the budget, as the newest call named it. */
  limit: number;
  /** Whether what was spent in the window before is known. */
  isKnown: boolean;
};

export type BudgetJudge = {
  /** Returns the claim's budgets; undefined: what was spent in them has to be read first. */
  find(tokenId: number, claim: BudgetClaim): readonly OpenBudget[] | undefined;
  /** Reads what was spent in the claim's windows. */
  open(tokenId: number, claim: BudgetClaim): Promise<void>;
  /**
   * Counts what a call has spent, in all of the token's windows that contain its reservation but
   * those of `counted`. There are others only after the time zone has changed. A negative amount is
   * given back.
   */
  spend(spent: {
    readonly tokenId: number;
    readonly at: number;
    readonly amount: number;
    readonly counted: readonly BudgetAccount[];
  }): void;
};

export function openBudgetJudge(queue: Pick<OperationQueue, "push">): BudgetJudge {
  const byToken = new Map<number, OpenBudget[]>();

  function find(tokenId: number, claim: BudgetClaim): OpenBudget[] | undefined {
    const budgets = byToken.get(tokenId);
    if (budgets === undefined) return undefined;
    const found: OpenBudget[] = [];
    for (const window of claim.windows) {
      const budget = budgets.find((each) => isSame(each.window, window));
      if (budget?.isKnown !== true) return undefined;
      if (budget.limit !== window.limit) {
        budget.granted += window.limit - budget.limit;
        budget.limit = window.limit;
      }
      found.push(budget);
    }
    return found;
  }

  async function open(tokenId: number, claim: BudgetClaim): Promise<void> {
    const budgets = withoutOld(byToken.get(tokenId) ?? [], claim.at);
    byToken.set(tokenId, budgets);
    const made = claim.windows.flatMap((window): OpenBudget[] => {
      if (budgets.some((each) => isSame(each.window, window))) return [];
      const { limit } = window;
      return [{ window, limit, granted: limit, held: 0, isKnown: false }];
    });
    budgets.push(...made);
    // The queue keeps the order. So the answer contains what was charged before this moment, and
    // `spend` counts what is charged from now on.
    const asked = { at: claim.at, windows: claim.windows };
    const result = await queue
      .push({ type: "budget", tokenId, budget: asked })
      .catch((error: unknown) => {
        const others = byToken.get(tokenId)?.filter((each) => !made.includes(each));
        byToken.set(tokenId, others ?? []);
        throw error;
      });
    if (result.type !== "spent") {
      throw new Error(`a question about budgets ended as ${result.type}`);
    }
    for (const budget of budgets) {
      const index = claim.windows.findIndex((window) => isSame(budget.window, window));
      if (index < 0 || budget.isKnown || !made.includes(budget)) continue;
      budget.granted -= result.amounts[index] ?? 0;
      budget.isKnown = true;
    }
  }

  return {
    find,
    open,
    spend({ tokenId, at, amount, counted }) {
      for (const budget of byToken.get(tokenId) ?? []) {
        const { start, end } = budget.window;
        if (at >= start && at < end && !counted.includes(budget)) budget.granted -= amount;
      }
    },
  };
}

function isSame(one: BudgetWindow, other: BudgetWindow): boolean {
  return one.kind === other.kind && one.start === other.start;
}

/**
 * How many ended windows of a token are kept. A call that waited for the database may still need
 * one.
 */
const endedMax = 8;

/** Leaves out the windows that ended first, unless a call holds quota of them. */
function withoutOld(budgets: readonly OpenBudget[], at: number): OpenBudget[] {
  const ended = budgets
    .filter(({ window }) => window.end <= at)
    .toSorted((one, other) => one.window.end - other.window.end);
  const old = new Set(ended.slice(0, Math.max(0, ended.length - endedMax)));
  return budgets.filter((budget) => budget.held > 0 || !old.has(budget));
}
