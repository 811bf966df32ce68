/**
 * Applies a batch of operations in one transaction: reservations, settlements with their log rows,
 * entries, counters and roll-ups. The amounts of all its calls are first added up in memory, so
 * that each balance and sum is written once per batch, however many calls the batch has.
 */

import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { answersTo, commitBehind, pipelined } from "#db/pipeline.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import { reserveLogIds } from "#modules/logs/logs.ts";
import {
  budgetColumns,
  holdBudgets,
  loadBudgets,
  scarcestBudget,
  spendBudgets,
  spentIn,
} from "./budgets/budget-rows.ts";
import { loadAccounts } from "./accounts.ts";
import { findApplied, nothingApplied } from "./applied.ts";
import { accountsOf, lostIds } from "./batch-needs.ts";
import { failedRow, hasTask, settledRow } from "./call-rows.ts";
import { payDebts } from "./debts/debts.ts";
import { lockEpoch } from "./nodes.ts";
import { dropRerate } from "./rerate/drop-rerate.ts";
import type {
  Batch,
  BatchAnswer,
  Operation,
  OperationResult,
  ReservationFacts,
} from "./operations.ts";
import { findInterrupted } from "./recovery.ts";
import { readReservations } from "./reservations.ts";
import { creditAccounts, droppedOf, findReversals } from "./reversals.ts";
import { saveWork } from "./work/save-work.ts";
import type { Work } from "./work/work.ts";

const done: OperationResult = { type: "done" };

export async function applyBatch(tx: Db, batch: Batch): Promise<BatchAnswer> {
  const work = await openWork(tx, batch);
  if (work === "fenced") return work;
  const results = decideAll(work, batch.operations);
  await (isPlain(work) ? commitBehind(work.tx, saveWork(work)) : saveWork({ ...work, tx }));
  return results;
}

/**
 * Applies operations that nothing can refuse any more, because their record is in the journal: what
 * has become of the node's epoch since does not matter. The caller commits, with what else belongs
 * to the transaction.
 *
 * @param last nothing that the transaction does afterwards needs to know whether it succeeded.
 */
export async function applyDecided(
  tx: Db,
  batch: Batch,
  last?: "last",
): Promise<readonly OperationResult[]> {
  const work = await openWork(tx, batch, "decided");
  if (work === "fenced") throw new Error("what is decided cannot be fenced");
  const results = decideAll(work, batch.operations);
  if (!isPlain(work)) await saveWork({ ...work, tx });
  else await (last === undefined ? saveWork(work) : commitBehind(work.tx, saveWork(work)));
  return results;
}

/**
 * Whether no statement of the batch waits for the answer to another. Reversals, write-offs, budgets,
 * tasks and debts are rare, and some of their statements do.
 */
function isPlain({ booked, budgets, debts, writeOffs }: Work): boolean {
  const isRare = writeOffs.length + debts.length > 0 || budgets.size > 0 || booked.some(hasTask);
  return !isRare && booked.every((one) => "row" in one);
}

function decideAll(work: Work, operations: readonly Operation[]): OperationResult[] {
  const results = operations.map((operation) => decide(work, operation));
  // On SQLite the judge has what calls held, and pays debts from it (see `holds.ts`).
  if (dialectOf(work.tx) === "postgres") {
    work.debts.push(...payDebts(work.accounts.users.values(), Date.now()));
  }
  return results;
}

/**
 * Reads and locks what the batch needs. On PostgreSQL that takes one round trip, and `save` and the
 * commit another one. From one to the other the accounts are locked, and other nodes wait for them.
 */
async function openWork(given: Db, batch: Batch, decided?: "decided"): Promise<Work | "fenced"> {
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
  const isFencing = grants && decided === undefined;
  const [accounts, rows, logIds] = await answersTo([
    loadAccounts(tx, users, tokens, isFencing ? node : undefined),
    // Read after the accounts are locked: if the batch is sent again, the transaction of the first
    // sending may still be committing until then.
    readReservations(tx, ids),
    grants ? reserveLogIds(tx, logRows) : Promise.resolve([]),
  ]);
  // The statement that reads the accounts also locks the epoch; only if it found no user can the
  // epoch have ended.
  const isFenced = isFencing && accounts.users.size === 0 && !(await lockEpoch(tx, node));
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
    rows: [],
    debts: [],
    dropped: [],
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
      if (!hasRow(work, operation.log.requestId)) work.rows.push(failedRow(operation.log));
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
    tags: facts.tags ?? "",
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
  work.rows.push(row);
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
  if (before !== undefined) return { type: "reversed", ...before };
  const here = work.booked.find((one) => "row" in one && one.log.requestId === id);
  const earlier = work.known.settled.get(id);
  const charged = here?.charged ?? earlier?.charged ?? 0;
  if (charged === 0) return { type: "reversed", amount: 0, rerated: 0 };
  creditAccounts(work.accounts, operation, charged);
  spendBudgets(work.budgets, log.tokenId, budget, -charged);
  work.booked.push({ log, charged, cost, logId: earlier?.logId, atMs, budget });
  if (earlier !== undefined && earlier.rerated !== 0) {
    const dropped = droppedOf(log, earlier, atMs);
    work.debts.push(dropRerate(work.accounts, dropped));
    work.dropped.push(dropped);
  }
  return { type: "reversed", amount: charged, rerated: earlier?.rerated ?? 0 };
}
