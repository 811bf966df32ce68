/**
 * Applies a batch of operations in one transaction: reservations, settlements with their log rows,
 * entries, counters and roll-ups. The amounts of all its calls are first added up in memory, so
 * that each balance and sum is written once per batch, however many calls the batch has.
 */

import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { answersTo, commitBehind, inOrder, pipelined } from "#db/pipeline.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import { type CallLogRow, insertHashedLogs, reserveLogIds } from "#modules/logs/logs.ts";
import {
  budgetColumns,
  type BudgetRows,
  holdBudgets,
  loadBudgets,
  saveBudgets,
  scarcestBudget,
  spendBudgets,
  spentIn,
} from "./budget-rows.ts";
import type { BudgetClaim } from "./budgets.ts";
import { type Accounts, loadAccounts, saveAccounts } from "./accounts.ts";
import { type Applied, findApplied, nothingApplied } from "./applied.ts";
import { accountsOf, lostIds } from "./batch-needs.ts";
import {
  failedRow,
  hasTask,
  hashedOf,
  noteCalls,
  settledRow,
  settlementEntry,
} from "./call-rows.ts";
import { payDebts } from "./debts/debts.ts";
import { type ChainedEntry, insertEntries } from "./entries.ts";
import { lockEpoch, type NodeEpoch } from "./nodes.ts";
import type {
  Batch,
  BatchAnswer,
  Operation,
  OperationResult,
  ReservationFacts,
} from "./operations.ts";
import { findInterrupted, noteWriteOffs } from "./recovery.ts";
import { deleteReservations, readReservations, upsertReservations } from "./reservations.ts";
import {
  creditAccounts,
  findReversals,
  type KnownReversals,
  noteReversals,
  type Reversal,
  reversalEntry,
  reversedRow,
} from "./reversals.ts";
import { addToSums } from "./sums.ts";

/** The state of a batch while its operations are decided one after the other. */
type Work = {
  /** The transaction in the form that `pipelined` returns. */
  readonly tx: Db;
  readonly node: NodeEpoch;
  /** Whether the batch settles calls again whose settlements a database that went back has lost. */
  readonly restores: boolean;
  readonly accounts: Accounts;
  readonly budgets: BudgetRows;
  /** What the batch had already committed when it was sent before. */
  readonly applied: Applied;
  /** Request ids of calls that other nodes ended, because they took this node for dead. */
  readonly interrupted: ReadonlySet<string>;
  /** Ids for the log rows of the batch; none on SQLite, which numbers rows when they are inserted. */
  readonly logIds: readonly number[];
  /** Open reservations by id: those in the database and those that the batch opens. */
  readonly reservations: Map<string, ReservationTable>;
  readonly opened: Map<string, ReservationTable>;
  readonly ended: Set<string>;
  /** Settlements and reversals of settlements, in the order of their operations. */
  readonly booked: (Reversal | Settlement)[];
  /** The stored settlements that reversals in this batch take back. */
  readonly known: KnownReversals;
  readonly failed: CallLogRow[];
  /** The debts that users pay with what calls of the batch held and did not spend. */
  readonly debts: ChainedEntry[];
  /**
   * The charges of calls that are not charged, because other nodes had ended them as interrupted.
   */
  readonly writeOffs: { readonly requestId: string; readonly amount: number }[];
};

type Settlement = {
  readonly log: ChargedCallLog;
  readonly charged: number;
  readonly row: CallLogRow;
  readonly budget: BudgetClaim | undefined;
  readonly again: boolean;
};

const done: OperationResult = { type: "done" };

export async function applyBatch(tx: Db, batch: Batch): Promise<BatchAnswer> {
  const work = await openWork(tx, batch);
  if (work === "fenced") return work;
  const results = batch.operations.map((operation) => decide(work, operation));
  // On SQLite the judge has what calls held, and pays debts from it (see `holds.ts`).
  if (dialectOf(work.tx) === "postgres") {
    work.debts.push(...payDebts(work.accounts.users.values(), Date.now()));
  }
  // Reversals, write-offs, budgets, tasks and debts are rare, and some of their statements wait for
  // the answers of others.
  const isRare =
    work.writeOffs.length + work.debts.length > 0 ||
    work.budgets.size > 0 ||
    work.booked.some(hasTask);
  const isPlain = !isRare && work.booked.every((one) => "row" in one);
  await (isPlain ? commitBehind(work.tx, save(work)) : save({ ...work, tx }));
  return results;
}

/**
 * Reads and locks what the batch needs. On PostgreSQL that takes one round trip, and `save` and the
 * commit another one. From one to the other the accounts are locked, and other nodes wait for them.
 */
async function openWork(given: Db, batch: Batch): Promise<Work | "fenced"> {
  const tx = await pipelined(given);
  const { nodeId, epoch, again, operations, restores = false } = batch;
  const node = { nodeId, epoch };
  const users: number[] = [];
  const tokens: number[] = [];
  const ids: string[] = [];
  let logRows = 0;
  // On SQLite the judge grants holds in memory, and rows of reservations do not affect balances. On
  // PostgreSQL the database grants them.
  const grants = dialectOf(tx) === "postgres";
  for (const operation of operations) {
    if (operation.type === "settle" || operation.type === "fail") logRows += 1;
    const touched = accountsOf(operation, grants);
    if (touched === undefined) continue;
    users.push(touched.userId);
    tokens.push(touched.tokenId);
    if (grants) ids.push(touched.id);
  }
  const [accounts, rows, logIds] = await answersTo([
    loadAccounts(tx, users, tokens, grants ? node : undefined),
    // Read after the accounts are locked: if the batch is sent again, the transaction of the first
    // sending may still be committing until then.
    readReservations(tx, ids),
    grants ? reserveLogIds(tx, logRows) : Promise.resolve([]),
  ]);
  // The statement that reads the accounts also locks the epoch; only if it found no user can the
  // epoch have ended.
  const isFenced = grants && accounts.users.size === 0 && !(await lockEpoch(tx, node));
  if (isFenced) return "fenced";
  const reservations = new Map(rows.map((row) => [row.id, row]));
  const lost = grants ? lostIds(batch, reservations) : [];
  return {
    tx,
    node,
    restores,
    accounts,
    logIds,
    budgets: await loadBudgets(tx, operations, grants ? rows : []),
    applied: again ? await findApplied(tx, operations, rows) : nothingApplied,
    interrupted: await findInterrupted(tx, lost),
    known: await findReversals(tx, operations),
    reservations,
    opened: new Map(),
    ended: new Set(),
    booked: [],
    failed: [],
    debts: [],
    writeOffs: [],
  };
}

function decide(work: Work, operation: Operation): OperationResult {
  switch (operation.type) {
    case "open":
      work.opened.set(operation.facts.id, rowOf(work, operation.facts, operation.amount));
      return done;
    case "take":
      return take(work, operation.facts, operation.want, operation.least);
    case "more":
      return more(work, operation);
    case "settle":
      return settle(work, operation);
    case "reverse":
      return reverse(work, operation);
    case "budget": {
      const { tokenId, budget } = operation;
      return { type: "spent", amounts: spentIn(work.budgets, tokenId, budget) };
    }
    case "release":
      giveBack(work, operation.id);
      return done;
    case "fail":
      if (!hasRow(work, operation.log.requestId)) work.failed.push(failedRow(operation.log));
      return done;
  }
}

function hasRow({ applied, interrupted }: Work, requestId: string): boolean {
  return applied.failed.has(requestId) || interrupted.has(requestId);
}

function rowOf({ node }: Work, facts: ReservationFacts, amount: number): ReservationTable {
  return {
    id: facts.id,
    node_id: node.nodeId,
    epoch: node.epoch,
    user_id: facts.userId,
    token_id: facts.tokenId,
    model_name: facts.modelName,
    group: facts.group,
    amount,
    token_amount: facts.tokenLimited ? amount : 0,
    created_at: facts.atMs,
    ...budgetColumns(facts.budget),
  };
}

/**
 * Returns how much more quota a user and a token could grant; 0 for an account that does not exist.
 */
function freeOf(work: Work, userId: number, tokenId: number): { user: number; token: number } {
  const user = work.accounts.users.get(userId)?.now;
  const token = work.accounts.tokens.get(tokenId)?.now;
  return {
    user: user === undefined ? 0 : user.balance - user.held,
    token: token === undefined ? 0 : token.remain - token.held,
  };
}

function take(work: Work, facts: ReservationFacts, want: number, least: number): OperationResult {
  const taken = work.applied.taken.get(facts.id);
  if (taken !== undefined) return { type: "taken", amount: taken };
  if (work.interrupted.has(facts.id)) return { type: "interrupted" };
  const debt = work.accounts.users.get(facts.userId)?.now.debt ?? 0;
  if (debt > 0) return { type: "in-debt", debt };
  const free = freeOf(work, facts.userId, facts.tokenId);
  if (free.user < least) {
    const rest = work.accounts.users.get(facts.userId)?.now.balance ?? 0;
    return { type: "refused", by: "user", available: free.user, rest };
  }
  if (facts.tokenLimited && free.token < least) {
    const rest = work.accounts.tokens.get(facts.tokenId)?.now.remain ?? 0;
    return { type: "refused", by: "token", available: free.token, rest };
  }
  const scarcest = scarcestBudget(work.budgets, facts.tokenId, facts.budget);
  if (scarcest !== undefined && scarcest.left < least) {
    const { window, left } = scarcest;
    const available = Math.max(0, left);
    return { type: "over-budget", window: window.kind, resetsAt: window.end, available };
  }
  const ofToken = facts.tokenLimited ? free.token : want;
  const amount = Math.min(want, free.user, ofToken, scarcest?.left ?? want);
  const row = rowOf(work, facts, amount);
  addHold(work, row, 1);
  work.opened.set(row.id, row);
  return { type: "taken", amount };
}

/** Adds what a reservation holds to the `held` of its accounts (`sign` 1) or subtracts it (−1). */
function addHold(work: Work, row: ReservationTable, sign: -1 | 1): void {
  const user = work.accounts.users.get(row.user_id)?.now;
  if (user !== undefined) user.held += sign * row.amount;
  const token = work.accounts.tokens.get(row.token_id)?.now;
  if (token !== undefined) token.held += sign * row.token_amount;
  holdBudgets(work.budgets, row, sign * row.amount);
}

function more(work: Work, operation: Operation & { type: "more" }): OperationResult {
  const row = work.opened.get(operation.id) ?? work.reservations.get(operation.id);
  if (row === undefined) return { type: "interrupted" };
  // The reservation holds more than it did before this operation, so the operation took effect
  // already, when the batch was sent before.
  if (row.amount > operation.before) {
    return { type: "taken", amount: row.amount - operation.before };
  }
  const free = freeOf(work, row.user_id, row.token_id);
  const limit = operation.tokenLimited ? Math.min(free.user, free.token) : free.user;
  const scarcest = scarcestBudget(work.budgets, row.token_id, operation.budget);
  const ofBudget = scarcest?.left ?? limit;
  const amount = Math.max(0, Math.min(operation.want, limit, ofBudget));
  addHold(work, row, -1);
  row.amount += amount;
  if (operation.tokenLimited) row.token_amount += amount;
  addHold(work, row, 1);
  work.opened.set(row.id, row);
  if (amount === operation.want) return { type: "taken", amount };
  const short = limit < free.user ? "token" : "user";
  return { type: "taken", amount, short: ofBudget < limit ? "budget" : short };
}

function giveBack(work: Work, id: string): void {
  const row = work.opened.get(id) ?? work.reservations.get(id);
  if (row !== undefined && dialectOf(work.tx) === "postgres") addHold(work, row, -1);
  work.opened.delete(id);
  work.reservations.delete(id);
  work.ended.add(id);
}

function settle(work: Work, operation: Operation & { type: "settle" }): OperationResult {
  const { log, charge, budget } = operation;
  const held = heldBy(work, operation.id);
  giveBack(work, operation.id);
  const booked = work.applied.charged.get(operation.id);
  if (booked !== undefined) return { type: "settled", charged: booked, writeOff: charge - booked };
  if (work.interrupted.has(operation.id)) {
    // The log told the user that this interrupted call is not charged, so its charge is written
    // off.
    work.writeOffs.push({ requestId: operation.id, amount: charge });
    return { type: "settled", charged: 0, writeOff: charge };
  }
  const user = work.accounts.users.get(log.userId)?.now;
  if (user === undefined) throw new Error(`user ${log.userId} has no balance`);
  const token = work.accounts.tokens.get(log.tokenId)?.now;
  const free = freeOf(work, log.userId, log.tokenId);
  const limit = operation.tokenLimited ? Math.min(free.user, free.token) : free.user;
  // The charge is limited by the stored balance even if the judge has decided it, so that no
  // balance can become negative.
  const ofBudget = operation.charged ?? leftOfBudget(work, operation, held);
  const charged = Math.min(ofBudget, charge, Math.max(0, limit));
  user.balance -= charged;
  user.used += charged;
  if (token !== undefined) {
    token.used += charged;
    if (operation.tokenLimited) token.remain -= charged;
    else token.granted += charged;
  }
  spendBudgets(work.budgets, log.tokenId, budget, charged);
  const row = settledRow(log, charged, charge - charged);
  work.booked.push({ log, charged, row, budget, again: work.restores });
  return { type: "settled", charged, writeOff: charge - charged };
}

function heldBy({ opened, reservations }: Work, id: string): number {
  return (opened.get(id) ?? reservations.get(id))?.amount ?? 0;
}

/** Returns how much the budgets allow: what the call held even if a budget was lowered since. */
function leftOfBudget(
  { budgets }: Work,
  { charge, log, budget }: Operation & { type: "settle" },
  held: number,
): number {
  const scarcest = scarcestBudget(budgets, log.tokenId, budget);
  return scarcest === undefined ? charge : Math.max(held, scarcest.left);
}

function reverse(work: Work, operation: Operation & { type: "reverse" }): OperationResult {
  const { id, log, charge: cost, atMs, budget } = operation;
  const before = work.known.reversed.get(id);
  if (before !== undefined) return { type: "reversed", amount: before };
  const here = work.booked.find((one) => "row" in one && one.log.requestId === id);
  const earlier = work.known.settled.get(id);
  const charged = here?.charged ?? earlier?.charged ?? 0;
  if (charged === 0) return { type: "reversed", amount: 0 };
  creditAccounts(work.accounts, operation, charged);
  spendBudgets(work.budgets, log.tokenId, budget, -charged);
  work.booked.push({ log, charged, cost, logId: earlier?.logId, atMs, budget });
  return { type: "reversed", amount: charged };
}

async function save(work: Work): Promise<void> {
  const { tx, accounts, budgets, ended, opened, writeOffs } = work;
  await inOrder(tx, [
    async () => await deleteReservations(tx, ended),
    async () => await upsertReservations(tx, [...opened.values()]),
    async () => await saveCalls(work),
    async () => await noteWriteOffs(tx, writeOffs),
    async () => await saveAccounts(tx, accounts),
    async () => await saveBudgets(tx, budgets),
  ]);
}

async function saveCalls(work: Work): Promise<void> {
  const { tx, accounts, booked, debts, failed, logIds } = work;
  if (booked.length + failed.length + debts.length === 0) return;
  const rows = booked.flatMap((one) => ("row" in one ? [one.row] : []));
  const { hashed, insert } = insertHashedLogs(tx, [...rows, ...failed], logIds);
  const reversals = booked.flatMap((one) =>
    "row" in one ? [] : [{ ...one, logId: one.logId ?? hashedOf(one, hashed).id }],
  );
  const entries = booked.map((one) =>
    "row" in one
      ? settlementEntry(one, hashedOf(one, hashed))
      : reversalEntry(one, one.logId ?? hashedOf(one, hashed).id),
  );
  await inOrder(tx, [
    insert,
    async () => await insertEntries(tx, accounts, [...entries, ...debts]),
    async () => await addToSums(tx, rows, reversals.map(reversedRow)),
    async () => await noteReversals(tx, reversals),
    async () => await noteCalls(tx, booked, hashed),
  ]);
}
