/**
 * The only code that changes balances. Each change is an entry with a unique cause, so that the
 * same change counts once.
 */

import type { BudgetState } from "@tollgate/contract/money/budgets.ts";
import type { Selectable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { EntryTable } from "#db/tables/ledger.ts";
import { loadAccounts, type Posted, saveAccounts } from "./accounts.ts";
import { mendCauseOf, refundCauseOf, reversalCauseOf, settlingCausesOf } from "./applied.ts";
import { readSpent } from "./budgets/budget-rows.ts";
import { type BudgetLimits, claimBudgets } from "./budgets/budgets.ts";
import { chainStart } from "./chain.ts";
import { insertEntries } from "./entries.ts";
import { dropRerate, noteDropped } from "./rerate/drop-rerate.ts";
import { subtractRefund } from "./sums.ts";

export type { Posted } from "./accounts.ts";
export { nodeDeadMs } from "./nodes.ts";
export { mendCauseOf, refundCauseOf, rerateCauseOf, reversalCauseOf } from "./applied.ts";
export { lockEarnings, postEarning } from "./earnings.ts";
export {
  rechargedColumns,
  rechargeOf,
  type RerateOutcome,
  type ReratedCharge,
  rerateCharges,
} from "./rerate/rerate-charges.ts";
export { postEntry, readDebt, refuseDebtor } from "./postings/postings.ts";
export { transferQuota } from "./postings/transfers.ts";
export { openCounters } from "./sums.ts";

/**
 * Changes of balances by the console. They are agreed with the judge, which holds quota for running
 * calls.
 */
export type Money = {
  /**
   * Runs `write`, whose transaction changes the user's balance by `amount`. If `amount` is
   * negative, the judge first gives up this quota, so that no call can hold it while it is being
   * taken away. If `amount` is positive, calls can hold it once it is committed.
   * @throws Refusal `quota-too-low` when less would be left than running calls hold.
   */
  moveUser<Result>(userId: number, amount: number, write: () => Promise<Result>): Promise<Result>;
  /**
   * Runs `write`, whose transaction changes the quota of a token by `amount`, under the same rules
   * as `moveUser`.
   */
  moveToken<Result>(tokenId: number, amount: number, write: () => Promise<Result>): Promise<Result>;
  /**
   * Runs `write`, whose transaction credits the user by an amount that is not known before, or
   * lowers the user's debt. Calls can hold what it adds to the balance once it is committed.
   */
  creditUser<Result extends { readonly posted: Posted | null }>(
    userId: number,
    write: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * Runs `write`, whose transaction takes up to `amount` from the user's balance and makes a debt
   * of the rest. It is given how much of the balance it may take at most, which no call can hold
   * meanwhile.
   */
  takeUser<Result extends { readonly posted: Posted | null }>(
    userId: number,
    amount: number,
    write: (most: number) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Runs `write`, whose transaction charges calls of these users again and takes up to these amounts
   * from their balances. It is given how much of each it may take at most, which no call can hold
   * meanwhile.
   */
  rechargeUsers<Result extends Recharged>(
    wanted: ReadonlyMap<number, number>,
    write: (most: ReadonlyMap<number, number>) => Promise<Result>,
  ): Promise<Result>;
  /** Tells the judge that a user was created with this balance. */
  openedUser(userId: number, balance: number): void;
  /** Tells the judge that a token was created that may spend this much. */
  openedToken(tokenId: number, remain: number): void;
  /** Tells the judge that a charge was refunded. */
  refunded(refund: Refund): void;
};

/** What calls that were charged again have changed, by user. */
export type Recharged = { readonly posted: ReadonlyMap<number, Posted> };

/** A charge that `refundCharge` gave back. */
export type Refund = {
  readonly userId: number;
  readonly tokenId: number;
  readonly tokenLimited: boolean;
  /** Quota units above 0. */
  readonly amount: number;
  /** What re-rates had added to the charge, which is given back beside it; below 0: taken back. */
  readonly rerated: number;
  /** When the call was reserved, in Unix seconds, if it counts in budgets; otherwise 0. */
  readonly budgetAt: number;
  /** The log row of the charge, on which the caller notes the refund in the same transaction. */
  readonly logId: number;
};

/** Creates the balance row of a new user. Without this row a user cannot be charged. */
export async function openBalance(tx: Db, userId: number): Promise<void> {
  await tx
    .insertInto("balances")
    .values({
      user_id: userId,
      balance: 0,
      held: 0,
      debt: 0,
      used: 0,
      entry_count: 0,
      head_hash: chainStart,
    })
    .execute();
}

/** Creates the balance row of a new token. `granted`: quota units it may spend. */
export async function openTokenBalance(tx: Db, tokenId: number, granted: number): Promise<void> {
  await tx
    .insertInto("token_balances")
    .values({ token_id: tokenId, granted, remain: granted, used: 0, held: 0 })
    .execute();
}

/**
 * Changes the quota that a token may spend.
 * @throws Refusal `quota-too-low` when less would be left than running calls hold.
 */
export async function adjustTokenBalance(tx: Db, tokenId: number, delta: number): Promise<void> {
  if (delta === 0) return;
  const accounts = await loadAccounts(tx, [], [tokenId]);
  const token = accounts.tokens.get(tokenId)?.now;
  if (token === undefined) throw new Error(`token ${tokenId} has no balance`);
  if (token.remain + delta < token.held) {
    throw new Refusal("quota-too-low", "正在进行的调用占用了该令牌的额度，请稍后再试");
  }
  if (!Number.isSafeInteger(token.granted + delta)) {
    throw new Refusal("invalid-input", "额度超出上限");
  }
  token.remain += delta;
  token.granted += delta;
  await saveAccounts(tx, accounts);
}

type Budgeted = { readonly id: number; readonly limits: BudgetLimits };

/**
 * Reads how much of their budgets tokens have spent in the windows that contain `at`, in Unix
 * seconds. What running calls hold is not part of it.
 */
export async function readBudgetStates(
  db: Db,
  tokens: readonly Budgeted[],
  { zone, at }: { readonly zone: string; readonly at: number },
): Promise<BudgetState[][]> {
  const claims = tokens.map(({ id, limits }) => ({
    id,
    windows: claimBudgets(limits, zone, at).windows,
  }));
  const spent = await readSpent(db, claims);
  return claims.map(({ windows }, token) =>
    windows.map(({ kind, limit, end }, index) => ({
      window: kind,
      limit,
      spent: spent[token]?.[index] ?? 0,
      resets_at: end,
    })),
  );
}

/** A charged call whose charge is to be given back as a whole. */
type Refunding = {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly tokenLimited: boolean;
  readonly modelName: string;
  readonly group: string;
  /** Why, for the entry. */
  readonly detail: string;
  /** How much of the charge was wrong; absent: all of it is given back, as the call has failed. */
  readonly wrong?: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Gives the charge of a call back, or what of it was wrong, at most once: to balance, token and budgets, and to the sums of
 * the hour of the charge, whose numbers of calls stay. Undefined: the call was not charged, or its
 * charge was given back before.
 */
export async function refundCharge(tx: Db, given: Refunding): Promise<Refund | undefined> {
  const { requestId, userId, tokenId, tokenLimited } = given;
  // Locked first, so that two nodes that refund the same charge do it one after the other.
  const accounts = await loadAccounts(tx, [userId], [tokenId]);
  const charge = await findCharge(tx, requestId);
  const user = accounts.users.get(userId)?.now;
  if (charge === undefined || user === undefined) return undefined;
  const { wrong } = given;
  const known = await findCost(tx, charge.log_id);
  const rerated = known?.rerated ?? 0;
  // What was charged again by other prices is no longer what was wrong.
  if (wrong !== undefined && rerated !== 0) return undefined;
  const amount = wrong ?? 0 - charge.amount;
  if (amount < 1 || amount > 0 - charge.amount) throw new Error(`no refund of ${requestId}`);
  user.balance += amount;
  user.used -= amount;
  const token = accounts.tokens.get(tokenId)?.now;
  if (token !== undefined) {
    token.used -= amount;
    if (tokenLimited) token.remain += amount;
    else token.granted -= amount;
  }
  const { budget_at: budgetAt, log_id: logId } = charge;
  const isCosted = known !== undefined && known.cost !== null;
  const ofCall = { ...given, channelId: charge.channel_id, createdAt: charge.created_at };
  const dropped = { ...ofCall, logId, isCosted, rerated };
  const drops = rerated === 0 ? [] : [dropRerate(accounts, dropped)];
  await insertEntries(tx, accounts, [
    {
      cause: wrong === undefined ? refundCauseOf(requestId) : mendCauseOf(requestId),
      kind: "refund",
      user_id: userId,
      token_id: charge.token_id,
      channel_id: charge.channel_id,
      amount,
      log_id: charge.log_id,
      detail: given.detail,
      created_at: unixSeconds(given.nowMs),
      budget_at: charge.budget_at,
    },
    ...drops,
  ]);
  const costs = { isCosted, cost: wrong === undefined ? (known?.cost ?? 0) : 0 };
  // First, so that no sum falls below 0 in between.
  if (rerated !== 0) await noteDropped(tx, [dropped]);
  await subtractRefund(tx, { ...given, ...charge, amount, ...costs }, given.nowMs);
  await saveAccounts(tx, accounts);
  await refundBudgets(tx, tokenId, charge.budget_at, amount);
  return { userId, tokenId, tokenLimited, amount, rerated, budgetAt, logId };
}

/** Finds the entry of a call's charge that was not given back; undefined: there is none. */
async function findCharge(tx: Db, requestId: string): Promise<Selectable<EntryTable> | undefined> {
  const causes = settlingCausesOf(requestId);
  const given = [refundCauseOf(requestId), reversalCauseOf(requestId), mendCauseOf(requestId)];
  const entries = await tx
    .selectFrom("entries")
    .selectAll()
    .where("cause", "in", [...causes, ...given])
    .execute();
  const [charge] = entries;
  if (charge === undefined || entries.length !== 1 || charge.amount >= 0) return undefined;
  return causes.includes(charge.cause) ? charge : undefined;
}

/** Finds by its log row what a call costs and what re-rates added to it; undefined: it was removed. */
async function findCost(tx: Db, logId: number) {
  const row = tx.selectFrom("logs").select(["cost", "rerated"]).where("id", "=", logId);
  return await row.executeTakeFirst();
}

/** The row of the token's balance must be locked. */
async function refundBudgets(tx: Db, tokenId: number, at: number, amount: number): Promise<void> {
  if (at === 0) return;
  await tx
    .updateTable("token_budgets")
    .set((eb) => ({ spent: eb("spent", "-", amount) }))
    .where("token_id", "=", tokenId)
    .where("starts_at", "<=", at)
    .where("ends_at", ">", at)
    .execute();
}

/** The number of a user's newest entries that are searched for earlier balances. */
const lookBackMax = 10_000;

/**
 * Finds all balances that a user had while the used quota was `usedQuota`; there are several if
 * credits arrived between two calls. A console sends back the used quota that it read, and this
 * tells which balance the console showed beside it.
 */
export async function balancesBefore(db: Db, userId: number, usedQuota: number): Promise<number[]> {
  const rows = await db
    .selectFrom("entries")
    .select(["balance_after", "used_after"])
    .where("user_id", "=", userId)
    .orderBy("seq", "desc")
    .limit(lookBackMax)
    .execute();
  const found = rows.filter((row) => row.used_after === usedQuota);
  const balances = found.map((row) => row.balance_after);
  // Before the first entry the balance was 0.
  if (usedQuota === 0 && rows.length < lookBackMax) balances.push(0);
  return [...new Set(balances)];
}
