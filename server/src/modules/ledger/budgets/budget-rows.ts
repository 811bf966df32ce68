/**
 * The budget rows that a transaction of the ledger changes: read under lock, changed in memory, and
 * written back once. The rows of a token are written only while the row of its balance is locked.
 */

import type { BudgetKind } from "@tollgate/contract/money/budgets.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { ReservationTable, TokenBudgetTable } from "#db/tables/ledger.ts";
import type { BudgetClaim, BudgetWindow } from "./budgets.ts";
import type { Operation } from "#modules/ledger/operations.ts";

type Loaded = { readonly before: TokenBudgetTable | null; readonly now: TokenBudgetTable };

/** The rows by token. */
export type BudgetRows = ReadonlyMap<number, readonly Loaded[]>;

const none: BudgetRows = new Map();

/** What a batch needs of a token's budgets. */
type Need = { readonly tokenId: number; readonly at: number; readonly claim?: BudgetClaim };

/**
 * Reads the rows that the operations and the present reservations need, and makes those that are
 * missing. The balances of the tokens must be locked before.
 */
export async function loadBudgets(
  tx: Db,
  operations: readonly Operation[],
  reservations: readonly ReservationTable[],
): Promise<BudgetRows> {
  const needs = [...operations.flatMap(needsOf), ...reservations.flatMap(needsOfRow)];
  if (needs.length === 0) return none;
  const tokens = [...new Set(needs.map(({ tokenId }) => tokenId))];
  const query = tx
    .selectFrom("token_budgets")
    .selectAll()
    .where("token_id", "in", tokens)
    .where("ends_at", ">", Math.min(...needs.map(({ at }) => at)));
  const rows = await lockRows(tx, query.orderBy("token_id").orderBy("starts_at")).execute();
  const byToken = new Map<number, Loaded[]>(tokens.map((id) => [id, []]));
  for (const row of rows) byToken.get(row.token_id)?.push({ before: row, now: { ...row } });
  for (const { tokenId, claim } of needs) {
    const known = byToken.get(tokenId) ?? [];
    for (const window of claim?.windows ?? []) {
      if (known.some(({ now }) => isOf(now, window))) continue;
      known.push({ before: null, now: await newRow(tx, tokenId, window) });
    }
  }
  return byToken;
}

function needsOf(operation: Operation): Need[] {
  switch (operation.type) {
    case "budget":
    case "more": {
      const { budget, tokenId } = operation;
      return budget === undefined ? [] : [{ tokenId, at: budget.at, claim: budget }];
    }
    case "take": {
      const { budget, tokenId } = operation.facts;
      return budget === undefined ? [] : [{ tokenId, at: budget.at, claim: budget }];
    }
    case "reverse":
    case "settle": {
      const { budget, log } = operation;
      return budget === undefined ? [] : [{ tokenId: log.tokenId, at: budget.at }];
    }
    case "fail":
    case "open":
    case "release":
      return [];
  }
}

function needsOfRow(row: ReservationTable): Need[] {
  return row.budget_at === 0 ? [] : [{ tokenId: row.token_id, at: row.budget_at }];
}

function isOf(row: TokenBudgetTable, window: Pick<BudgetWindow, "kind" | "start">): boolean {
  return row.kind === window.kind && row.starts_at === window.start;
}

/**
 * Makes the row of a window. Calls in it may have been charged before, if the time zone or the
 * token's budgets have changed since.
 */
async function newRow(tx: Db, tokenId: number, window: BudgetWindow): Promise<TokenBudgetTable> {
  const { kind, start, end } = window;
  const spent = (await sumEntries(tx, [tokenId], window)).get(tokenId) ?? 0;
  return { token_id: tokenId, kind, starts_at: start, ends_at: end, spent, held: 0 };
}

/** Sums what calls of the tokens that were reserved within a window have been charged. */
async function sumEntries(
  db: Db,
  tokenIds: readonly number[],
  { start, end }: Pick<BudgetWindow, "end" | "start">,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom("entries")
    .select(["token_id", sql<number>`-sum(amount)`.as("spent")])
    .where("token_id", "in", tokenIds)
    // This condition follows from the next one, but the index is only used for statements that
    // repeat its own.
    .where("budget_at", ">", 0)
    .where("budget_at", ">=", start)
    .where("budget_at", "<", end)
    .groupBy("token_id")
    .execute();
  return new Map(rows.map(({ token_id, spent }) => [token_id, Number(spent)]));
}

type TokenWindows = { readonly id: number; readonly windows: readonly BudgetWindow[] };

/**
 * Reads what tokens have spent in their windows, in the same order. A window without a row, in
 * which no call was reserved since the budget is as it is, is summed from the entries.
 */
export async function readSpent(db: Db, tokens: readonly TokenWindows[]): Promise<number[][]> {
  const windows = new Map(tokens.flatMap((each) => each.windows.map((one) => [keyOf(one), one])));
  if (windows.size === 0) return tokens.map(() => []);
  const rows = await db
    .selectFrom("token_budgets")
    .selectAll()
    .where(
      "token_id",
      "in",
      tokens.map(({ id }) => id),
    )
    .where("ends_at", "in", [...new Set([...windows.values()].map(({ end }) => end))])
    .execute();
  const sums = new Map<string, ReadonlyMap<number, number>>();
  for (const [key, window] of windows) {
    const known = rows.filter((row) => isOf(row, window));
    const spent = new Map(known.map((row) => [row.token_id, row.spent]));
    const without = tokens.filter(
      (each) => !spent.has(each.id) && each.windows.some((one) => keyOf(one) === key),
    );
    const ids = without.map(({ id }) => id);
    const summed = ids.length === 0 ? [] : await sumEntries(db, ids, window);
    sums.set(key, new Map([...spent, ...summed]));
  }
  return tokens.map((each) => each.windows.map((one) => sums.get(keyOf(one))?.get(each.id) ?? 0));
}

function keyOf({ kind, start }: BudgetWindow): string {
  return `${kind} ${start}`;
}

/** Adds what a call spent to all rows that contain its reservation; a negative amount goes back. */
export function spendBudgets(
  rows: BudgetRows,
  tokenId: number,
  budget: BudgetClaim | undefined,
  amount: number,
): void {
  if (budget === undefined) return;
  for (const { now } of rows.get(tokenId) ?? []) {
    if (now.starts_at <= budget.at && budget.at < now.ends_at) now.spent += amount;
  }
}

/** Adds to what is held of the budgets of a reservation. */
export function holdBudgets(rows: BudgetRows, row: ReservationTable, amount: number): void {
  if (row.budget_at === 0) return;
  const starts: readonly [BudgetKind, number][] = [
    ["day", row.budget_day],
    ["week", row.budget_week],
    ["month", row.budget_month],
  ];
  for (const [kind, start] of starts) {
    if (start === 0) continue;
    const found = rows.get(row.token_id)?.find(({ now }) => isOf(now, { kind, start }));
    if (found !== undefined) found.now.held += amount;
  }
}

/** The columns by which a reservation names its budgets. */
export function budgetColumns(
  budget: BudgetClaim | undefined,
): Pick<ReservationTable, "budget_at" | "budget_day" | "budget_month" | "budget_week"> {
  const startOf = (kind: BudgetKind): number =>
    budget?.windows.find((window) => window.kind === kind)?.start ?? 0;
  return {
    budget_at: budget?.at ?? 0,
    budget_day: startOf("day"),
    budget_week: startOf("week"),
    budget_month: startOf("month"),
  };
}

/** Returns the budget that has the least left; undefined: the call counts in none. */
export function scarcestBudget(
  rows: BudgetRows,
  tokenId: number,
  budget: BudgetClaim | undefined,
): { readonly window: BudgetWindow; readonly left: number } | undefined {
  let scarcest: { readonly window: BudgetWindow; readonly left: number } | undefined;
  for (const window of budget?.windows ?? []) {
    const row = rows.get(tokenId)?.find(({ now }) => isOf(now, window))?.now;
    const left = window.limit - (row?.spent ?? 0) - (row?.held ?? 0);
    if (scarcest === undefined || left < scarcest.left) scarcest = { window, left };
  }
  return scarcest;
}

/** Returns what was spent in each window of the claim. */
export function spentIn(rows: BudgetRows, tokenId: number, claim: BudgetClaim): number[] {
  const known = rows.get(tokenId) ?? [];
  return claim.windows.map((window) => known.find(({ now }) => isOf(now, window))?.now.spent ?? 0);
}

/** For how long the row of an ended window is kept, in seconds. */
const keptSeconds = 62 * 86_400;

/** Writes the changed rows back, and removes those of windows that ended long ago. */
export async function saveBudgets(tx: Db, rows: BudgetRows): Promise<void> {
  for (const [tokenId, loaded] of rows) {
    for (const { before, now } of loaded) {
      if (before === null) await insertRow(tx, now);
      else if (before.spent !== now.spent || before.held !== now.held) {
        await tx
          .updateTable("token_budgets")
          .set({ spent: now.spent, held: now.held })
          .where("token_id", "=", tokenId)
          .where("kind", "=", now.kind)
          .where("starts_at", "=", now.starts_at)
          .execute();
      }
    }
  }
}

async function insertRow(tx: Db, row: TokenBudgetTable): Promise<void> {
  await tx.insertInto("token_budgets").values(row).execute();
  await tx
    .deleteFrom("token_budgets")
    .where("token_id", "=", row.token_id)
    .where("ends_at", "<", Math.max(0, row.starts_at - keptSeconds))
    .where("held", "=", 0)
    .execute();
}
