/**
 * Debts: what a user owes because money went back whose quota was spent already. Each change of a
 * debt is an entry, in the chain of the user's other entries: `debt` of an entry is the change, and
 * `debt` of the balance row their sum. Later credits pay it first.
 */

import { Refusal } from "#base/refusal.ts";
import type { BalanceTable, EntryKind } from "#db/tables/ledger.ts";
import { unixSeconds } from "#base/clock.ts";
import type { ChainedEntry } from "#modules/ledger/entries.ts";

type Rule = "cancels" | "lowers" | "none" | "opens" | "owes" | "pays" | "settles";

/**
 * What an entry of each kind has to do with debts. `pays`: a credit of which the debt is paid.
 * `owes`: what the balance does not have becomes a debt. `lowers`: a credit that first cancels the
 * debt. `cancels`: it changes only the debt. `opens`:
 * below 0 as `owes`, else nothing. `settles`: below 0 as `owes`, else as `lowers`.
 */
const rules: Readonly<Record<EntryKind, Rule>> = {
  admin_adjust: "none",
  aff_transfer: "pays",
  debt_paid: "pays",
  debt_waived: "cancels",
  dividend: "pays",
  gift: "none",
  invite: "none",
  opening: "opens",
  payment_refund: "owes",
  payment_restored: "lowers",
  redeem: "pays",
  refund: "none",
  rerate: "settles",
  reversal: "none",
  settle: "none",
  task_charge: "none",
  topup: "pays",
  transfer_in: "pays",
  transfer_out: "none",
};

/** How a change is divided between balance and debt. */
type Division = {
  /** What is added to the balance. */
  readonly amount: number;
  /** What is added to the debt. */
  readonly debt: number;
};

/**
 * Divides a change between balance and debt.
 * @param most of a change that owes: how much the balance may lose at most.
 */
export function divide(
  { balance, held, debt }: BalanceTable,
  { kind, amount, most }: { kind: EntryKind; amount: number; most?: number | undefined },
): Division {
  switch (ruleOf(kind, amount)) {
    case "owes": {
      const free = Math.max(0, Math.min(balance - held, most ?? balance));
      const taken = Math.min(-amount, free);
      return { amount: 0 - taken, debt: -amount - taken };
    }
    case "lowers": {
      const lowered = Math.min(debt, amount);
      return { amount: amount - lowered, debt: 0 - lowered };
    }
    case "cancels":
      return { amount: 0, debt: 0 - Math.min(debt, -amount) };
    case "none":
    case "pays":
      return { amount, debt: 0 };
  }
}

function ruleOf(kind: EntryKind, amount: number): Exclude<Rule, "opens" | "settles"> {
  const rule = rules[kind];
  if (rule === "settles") return amount < 0 ? "owes" : "lowers";
  if (rule !== "opens") return rule;
  return amount < 0 ? "owes" : "none";
}

/** Whether a credit of this kind pays the debt. */
export function paysDebt(kind: EntryKind): boolean {
  return rules[kind] === "pays";
}

/** Refuses what a user with a debt may not do. */
export function inDebt(debt: number): Refusal {
  return new Refusal("not-allowed", `账户欠费额度 ${debt}，请先充值还清`);
}

/** Pays the debts of accounts from what is free of their balances, in memory. */
export function payDebts(
  users: Iterable<{ readonly now: BalanceTable }>,
  nowMs: number,
): ChainedEntry[] {
  const entries: ChainedEntry[] = [];
  for (const { now } of users) {
    const paid = now.debt === 0 ? undefined : payDebtOf(now, now.balance, nowMs);
    if (paid !== undefined) entries.push(paid);
  }
  return entries;
}

/**
 * Pays the debt from the balance, at most `most`, in memory.
 * @returns the entry of it, without a cause, which `insertEntries` gives it; undefined: there is
 * nothing to pay, or nothing to pay it from.
 */
export function payDebtOf(
  user: BalanceTable,
  most: number,
  nowMs: number,
): ChainedEntry | undefined {
  const paid = Math.min(user.debt, user.balance - user.held, most);
  if (paid <= 0) return undefined;
  user.balance -= paid;
  user.debt -= paid;
  return {
    cause: "",
    kind: "debt_paid",
    user_id: user.user_id,
    token_id: 0,
    channel_id: 0,
    amount: 0 - paid,
    log_id: 0,
    detail: "",
    created_at: unixSeconds(nowMs),
    debt: 0 - paid,
  };
}
