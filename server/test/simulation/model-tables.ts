/** The tables of `db/tables/ledger.ts` in memory, without columns that money does not need. */

import type { BudgetClaim, BudgetWindow } from "#modules/ledger/budgets/budgets.ts";
import type { LendPolicy } from "#modules/ledger/holds.ts";
import type { Operation } from "#modules/ledger/operations.ts";

export type ModelUser = { balance: number; held: number; used: number };

export type ModelToken = { granted: number; remain: number; used: number; held: number };

export type ModelReservation = {
  readonly nodeId: string;
  epoch: number;
  /** When the quota was reserved, in simulated milliseconds, as are all times in these tables. */
  readonly takenAt: number;
  readonly userId: number;
  readonly tokenId: number;
  amount: number;
  tokenAmount: number;
  /** The budgets that hold the amount as well; undefined: none. */
  readonly budget: BudgetClaim | undefined;
};

/** What a token spent in a window. */
export type ModelBudget = {
  readonly tokenId: number;
  readonly window: BudgetWindow;
  spent: number;
  held: number;
};

export type ModelEntry = {
  readonly cause: string;
  /** Request id of the call that this entry settles; `""`: the entry has another cause. */
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly amount: number;
  /** When the call was reserved, if it counts in budgets; otherwise 0. */
  readonly budgetAt: number;
};

export type ModelNode = {
  epoch: number;
  startedAt: number;
  heartbeatAt: number;
  joinedAt: number;
  /** When the node's epoch was last ended; 0: never. */
  endedAt: number;
};

/** A record of the journal. */
export type ModelRecord = {
  readonly nodeId: string;
  readonly epoch: number;
  readonly seq: number;
  readonly before: string;
  readonly sum: string;
  readonly operations: readonly Operation[];
};

/** What a call was told to cost, and the books do not have yet. */
export type Promised = {
  readonly userId: number;
  readonly tokenId: number;
  readonly tokenLimited: boolean;
  readonly amount: number;
  /** When the call was reserved, if it counts in budgets; otherwise 0. */
  readonly budgetAt: number;
};

/** What the books could not take as its record says. */
export type ModelRefused = {
  readonly requestId: string;
  readonly kind: "behind" | "changed" | "cut" | "failed" | "missing";
};

export type ModelTables = {
  readonly now: () => number;
  readonly nodes: Map<string, ModelNode>;
  /** Calls that were interrupted, because the epoch of their node ended. */
  readonly interrupted: Set<string>;
  /** True: accounts store their held quota, because several nodes share them. */
  readonly grants: boolean;
  readonly users: Map<number, ModelUser>;
  readonly tokens: Map<number, ModelToken>;
  /** By `budgetKey`. */
  readonly budgets: Map<string, ModelBudget>;
  readonly reservations: Map<string, ModelReservation>;
  readonly entries: ModelEntry[];
  readonly causes: Set<string>;
  /** What each call was charged, by request id. */
  readonly charges: Map<string, number>;
  /** The number of log rows of type 5 (failed calls), by request id. */
  readonly failures: Map<string, number>;
  /** By node, in order. */
  readonly journal: Map<string, readonly ModelRecord[]>;
  /** Up to which record of a node the books are complete. */
  readonly heads: Map<string, { readonly applied: number; readonly sum: string }>;
  readonly refused: ModelRefused[];
  /** By request id. */
  readonly promised: Map<string, Promised>;
  /** The number of transactions so far. */
  version: number;
};

export function emptyTables(policy: LendPolicy, now: () => number): ModelTables {
  return {
    now,
    nodes: new Map(),
    interrupted: new Set(),
    grants: policy === "exact",
    users: new Map(),
    tokens: new Map(),
    budgets: new Map(),
    reservations: new Map(),
    entries: [],
    causes: new Set(),
    charges: new Map(),
    failures: new Map(),
    journal: new Map(),
    heads: new Map(),
    refused: [],
    promised: new Map(),
    version: 0,
  };
}

export function append({ causes, entries }: ModelTables, entry: ModelEntry): void {
  if (causes.has(entry.cause)) throw new Error(`${entry.cause} counted already`);
  causes.add(entry.cause);
  entries.push(entry);
}

/**
 * Adds a reservation's amounts to `held` of its user and token (sign 1), or subtracts them (sign
 * −1).
 */
export function addHold(tables: ModelTables, row: ModelReservation, sign: -1 | 1): void {
  if (!tables.grants) return;
  const user = tables.users.get(row.userId);
  if (user !== undefined) user.held += sign * row.amount;
  const token = tables.tokens.get(row.tokenId);
  if (token !== undefined) token.held += sign * row.tokenAmount;
  for (const window of row.budget?.windows ?? []) {
    const budget = tables.budgets.get(budgetKey(row.tokenId, window));
    if (budget !== undefined) budget.held += sign * row.amount;
  }
}

export function budgetKey(tokenId: number, { kind, start }: BudgetWindow): string {
  return `${tokenId} ${kind} ${start}`;
}

/** Makes the budgets of the claim that do not exist yet. */
export function openBudgets(
  { budgets }: ModelTables,
  tokenId: number,
  claim: BudgetClaim | undefined,
): void {
  for (const window of claim?.windows ?? []) {
    const key = budgetKey(tokenId, window);
    if (!budgets.has(key)) budgets.set(key, { tokenId, window, spent: 0, held: 0 });
  }
}

/** Adds what a call spent to the token's budgets that contain its reservation. */
export function spendBudgets(
  { budgets }: ModelTables,
  tokenId: number,
  claim: BudgetClaim | undefined,
  amount: number,
): void {
  for (const window of claim?.windows ?? []) {
    const budget = budgets.get(budgetKey(tokenId, window));
    if (budget !== undefined) budget.spent += amount;
  }
}

export function giveBack(tables: ModelTables, id: string): void {
  const row = tables.reservations.get(id);
  if (row === undefined) return;
  addHold(tables, row, -1);
  tables.reservations.delete(id);
}

export function addFailure({ failures }: ModelTables, requestId: string): void {
  failures.set(requestId, (failures.get(requestId) ?? 0) + 1);
}
