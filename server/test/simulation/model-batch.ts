/** An in-memory model of what `modules/ledger/batch.ts` does. */

import type { BudgetClaim, BudgetWindow } from "#modules/ledger/budgets/budgets.ts";
import type {
  Batch,
  BatchAnswer,
  Operation,
  OperationResult,
  ReservationFacts,
} from "#modules/ledger/operations.ts";
import { isEpoch } from "./model-nodes.ts";
import {
  addFailure,
  addHold,
  append,
  budgetKey,
  giveBack,
  type ModelTables,
  openBudgets,
  spendBudgets,
} from "./model-tables.ts";

/** The `interrupted` with which the settlement of a call is refused permanently, as by a database. */
export const refusedContent = "refused";

const done: OperationResult = { type: "done" };

/** Applies the whole batch, or nothing when it throws. */
export function applyBatch(tables: ModelTables, batch: Batch): BatchAnswer {
  if (tables.grants && !isEpoch(tables, batch)) return "fenced";
  return applyDecided(tables, batch);
}

/** Applies the whole batch, or nothing when it throws, whatever has become of the node's epoch. */
export function applyDecided(tables: ModelTables, batch: Batch): readonly OperationResult[] {
  refuseBatch(tables, batch);
  tables.version += 1;
  return batch.operations.map((operation) => decide(tables, batch, operation));
}

/** Throws when the transaction must fail, before anything is changed. */
function refuseBatch({ charges, users }: ModelTables, batch: Batch): void {
  const settled = new Set<string>();
  for (const operation of batch.operations) {
    if (operation.type !== "settle") continue;
    const isKnown = charges.has(operation.id);
    if (batch.again && isKnown) continue;
    if (isKnown || settled.has(operation.id)) throw new Error(`${operation.id} twice`);
    settled.add(operation.id);
    if (!users.has(operation.log.userId)) throw new Error("there is no such user");
    if (operation.log.interrupted === refusedContent) throw new Error("refused for good");
  }
}

function decide(tables: ModelTables, batch: Batch, operation: Operation): OperationResult {
  switch (operation.type) {
    case "open":
      open(tables, batch, operation.facts, operation.amount);
      return done;
    case "take":
      return take(tables, batch, operation);
    case "more":
      return more(tables, operation);
    case "settle":
      return settle(tables, batch, operation);
    case "reverse":
      return reverse(tables, operation);
    case "budget": {
      const { tokenId, budget } = operation;
      openBudgets(tables, tokenId, budget);
      const keys = budget.windows.map((window) => budgetKey(tokenId, window));
      return { type: "spent", amounts: keys.map((key) => tables.budgets.get(key)?.spent ?? 0) };
    }
    case "release":
      giveBack(tables, operation.id);
      return done;
    case "fail": {
      const { requestId } = operation.log;
      if (isInterrupted(tables, requestId)) return done;
      if (!batch.again || !tables.failures.has(requestId)) addFailure(tables, requestId);
      return done;
    }
  }
}

/** Whether another process has ended the call. That cannot happen on SQLite. */
function isInterrupted({ grants, interrupted }: ModelTables, id: string): boolean {
  return grants && interrupted.has(id);
}

function freeOf(
  { users, tokens }: ModelTables,
  userId: number,
  tokenId: number,
): { user: number; token: number } {
  const user = users.get(userId);
  const token = tokens.get(tokenId);
  return {
    user: user === undefined ? 0 : user.balance - user.held,
    token: token === undefined ? 0 : token.remain - token.held,
  };
}

/** Returns the budget that has the least left; undefined: the call counts in none. */
function leftOf(
  { budgets }: ModelTables,
  tokenId: number,
  claim: BudgetClaim | undefined,
): { window: BudgetWindow; amount: number } | undefined {
  return (claim?.windows ?? [])
    .map((window) => {
      const { spent, held } = budgets.get(budgetKey(tokenId, window)) ?? { spent: 0, held: 0 };
      return { window, amount: window.limit - spent - held };
    })
    .toSorted((one, other) => one.amount - other.amount)[0];
}

function open(
  tables: ModelTables,
  { nodeId, epoch }: Batch,
  { id, userId, tokenId, tokenLimited, budget }: ReservationFacts,
  amount: number,
): void {
  const node = { nodeId, epoch, takenAt: tables.now() };
  const tokenAmount = tokenLimited ? amount : 0;
  const row = { ...node, userId, tokenId, amount, tokenAmount, budget };
  tables.reservations.set(id, row);
  addHold(tables, row, 1);
}

function take(
  tables: ModelTables,
  batch: Batch,
  { facts, want, least }: Operation & { type: "take" },
): OperationResult {
  const known = tables.reservations.get(facts.id);
  if (batch.again && known !== undefined) return { type: "taken", amount: known.amount };
  if (isInterrupted(tables, facts.id)) return { type: "interrupted" };
  const free = freeOf(tables, facts.userId, facts.tokenId);
  if (free.user < least) {
    const rest = tables.users.get(facts.userId)?.balance ?? 0;
    return { type: "refused", by: "user", available: free.user, rest };
  }
  if (facts.tokenLimited && free.token < least) {
    const rest = tables.tokens.get(facts.tokenId)?.remain ?? 0;
    return { type: "refused", by: "token", available: free.token, rest };
  }
  openBudgets(tables, facts.tokenId, facts.budget);
  const left = leftOf(tables, facts.tokenId, facts.budget);
  if (left !== undefined && left.amount < least) {
    const { kind, end } = left.window;
    const available = Math.max(0, left.amount);
    return { type: "over-budget", window: kind, resetsAt: end, available };
  }
  const ofToken = facts.tokenLimited ? free.token : want;
  const amount = Math.min(want, free.user, ofToken, left?.amount ?? want);
  open(tables, batch, facts, amount);
  return { type: "taken", amount };
}

function more(
  tables: ModelTables,
  { id, before, want, tokenLimited, budget }: Operation & { type: "more" },
): OperationResult {
  const row = tables.reservations.get(id);
  if (row === undefined) return { type: "interrupted" };
  if (row.amount > before) return { type: "taken", amount: row.amount - before };
  const free = freeOf(tables, row.userId, row.tokenId);
  const limit = tokenLimited ? Math.min(free.user, free.token) : free.user;
  const left = leftOf(tables, row.tokenId, budget);
  const amount = Math.max(0, Math.min(want, limit, left?.amount ?? limit));
  addHold(tables, row, -1);
  row.amount += amount;
  if (tokenLimited) row.tokenAmount += amount;
  addHold(tables, row, 1);
  if (amount === want) return { type: "taken", amount };
  if (left !== undefined && left.amount < limit) return { type: "taken", amount, short: "budget" };
  return { type: "taken", amount, short: limit < free.user ? "token" : "user" };
}

function settle(
  tables: ModelTables,
  batch: Batch,
  { id, log, charge, charged: judged, tokenLimited, budget }: Operation & { type: "settle" },
): OperationResult {
  const held = tables.reservations.get(id)?.amount ?? 0;
  giveBack(tables, id);
  const known = batch.again ? tables.charges.get(id) : undefined;
  if (known !== undefined) return { type: "settled", charged: known, writeOff: charge - known };
  if (isInterrupted(tables, id)) return { type: "settled", charged: 0, writeOff: charge };
  const { userId, tokenId } = log;
  const user = tables.users.get(userId);
  if (user === undefined) throw new Error(`user ${userId} has no balance`);
  const free = freeOf(tables, userId, tokenId);
  const limit = tokenLimited ? Math.min(free.user, free.token) : free.user;
  const left = leftOf(tables, tokenId, budget);
  const ofBudget = judged ?? Math.max(held, left?.amount ?? charge);
  const charged = Math.min(ofBudget, charge, Math.max(0, limit));
  const entry = { cause: `settle:${id}`, requestId: id, userId, tokenId, amount: 0 - charged };
  append(tables, { ...entry, budgetAt: budget?.at ?? 0 });
  spendBudgets(tables, tokenId, budget, charged);
  tables.charges.set(id, charged);
  user.balance -= charged;
  user.used += charged;
  const token = tables.tokens.get(tokenId);
  if (token !== undefined) {
    token.used += charged;
    if (tokenLimited) token.remain -= charged;
    else token.granted += charged;
  }
  return { type: "settled", charged, writeOff: charge - charged };
}

function reverse(
  tables: ModelTables,
  { id, log, tokenLimited, budget }: Operation & { type: "reverse" },
): OperationResult {
  const { userId, tokenId } = log;
  const cause = `reversal:${id}`;
  const amount = tables.charges.get(id) ?? 0;
  const answer = { type: "reversed", amount, rerated: 0 } as const;
  if (amount === 0 || tables.causes.has(cause)) return answer;
  append(tables, { cause, requestId: "", userId, tokenId, amount, budgetAt: budget?.at ?? 0 });
  spendBudgets(tables, tokenId, budget, -amount);
  const user = tables.users.get(userId);
  if (user === undefined) throw new Error(`user ${userId} has no balance`);
  user.balance += amount;
  user.used -= amount;
  const token = tables.tokens.get(tokenId);
  if (token !== undefined) {
    token.used -= amount;
    if (tokenLimited) token.remain += amount;
    else token.granted -= amount;
  }
  return answer;
}
