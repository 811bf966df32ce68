/** T1 and T2 of debts: what an entry of each kind may do to what is owed. */

import type { EntryTable } from "#db/tables/ledger.ts";

/**
 * Whether an entry changes the debt as its kind allows.
 * @param head what was owed before it.
 */
export function isDebtOf(
  head: { readonly debt: number },
  { kind, amount, debt }: Pick<EntryTable, "amount" | "debt" | "kind">,
): boolean {
  if (head.debt + debt < 0) return false;
  switch (kind) {
    case "debt_paid":
      return debt < 0 && amount === debt;
    case "debt_waived":
      return debt < 0 && amount === 0;
    case "opening":
      return debt >= 0 && (debt === 0 || amount <= 0);
    case "payment_refund":
      return debt >= 0 && amount <= 0;
    case "rerate":
      return amount < 0 || debt > 0 ? amount <= 0 && debt >= 0 : debt <= 0;
    case "payment_restored":
      // What is left after the debt is credited, so there is none left then.
      return debt <= 0 && amount >= 0 && (amount === 0 || head.debt + debt === 0);
    case "admin_adjust":
    case "aff_transfer":
    case "dividend":
    case "gift":
    case "invite":
    case "redeem":
    case "refund":
    case "reversal":
    case "settle":
    case "task_charge":
    case "topup":
    case "transfer_in":
    case "transfer_out":
      return debt === 0;
  }
}
