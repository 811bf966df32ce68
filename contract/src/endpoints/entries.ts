/**
 * The history of a balance: every change of it, newest first. A user's entries are numbered from 1
 * without gaps, so a page is found by its numbers and every page costs the same. Amounts are whole
 * quota units, times Unix seconds.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id, queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";

/**
 * Why a balance changed. `gift`: the balance that a new account begins with. `opening`: what
 * the user had at the gateway that the account was imported from. `settle`: a call was
 * charged. `reversal`: the charge of a call was given back, because its answer was withheld from the
 * client. `rerate`: the difference of a call that was charged again by other prices. `transfer_in`
 * and `transfer_out`: moved between the balances of a user and an organisation.
 */
export const entryKind = z.enum([
  "admin_adjust",
  "aff_transfer",
  "debt_paid",
  "debt_waived",
  "dividend",
  "gift",
  "invite",
  "opening",
  "payment_refund",
  "payment_restored",
  "redeem",
  "refund",
  "rerate",
  "reversal",
  "settle",
  "task_charge",
  "topup",
  "transfer_in",
  "transfer_out",
]);

const whole = z.number().int();

export const entry = z.object({
  /** Position among the user's entries, from 1. */
  seq: whole,
  kind: entryKind,
  /** Positive adds to the balance, negative takes from it. */
  amount: whole,
  /** Positive adds to what the user owes, negative pays or waives it. */
  debt: whole,
  balance_after: whole,
  /** Id of the token that the entry is about; 0: none. */
  token_id: whole,
  /** Id of the usage log's row if the entry is about a call; otherwise 0. */
  log_id: whole,
  /** Model and request id of the call that the entry is about; empty: it is about none. */
  model_name: z.string(),
  request_id: z.string(),
  /**
   * Free text about the change of the balance, for example an admin's reason; empty: none was
   * given.
   */
  detail: z.string(),
  created_at: whole,
});
export type Entry = z.infer<typeof entry>;

/**
 * A page of entries with the sums of all of them: those of calls together, and the others by kind.
 * They add up to `balance`, to the unit.
 */
const statement = page(entry).extend({
  balance: whole,
  calls: whole,
  totals: z.array(z.object({ kind: entryKind, amount: whole })),
  /**
   * The days that the page has entries of, newest first: when each began, what all its entries add
   * to the balance, and how many they are. Empty if the list is searched.
   */
  days: z.array(z.object({ start: whole, amount: whole, count: whole })),
});
export type Statement = z.infer<typeof statement>;

/** The most matching entries that a search counts. */
export const entryCountMax = 10_000;

const listing = {
  ...pageInput,
  /** A part of the model's name, a request id, or a part of the remark; empty: all entries. */
  keyword: queryText,
  /** Minutes by which the reader's clock is ahead of UTC: it decides where a day begins. */
  ahead: queryWhole,
};

/** Lists the caller's ledger entries. */
export const listOwnEntries = endpoint({
  method: "GET",
  path: "/api/user/self/entries",
  access: "user",
  input: z.object(listing),
  output: statement,
});

/** Lists the ledger entries of the caller, or of a user whom the caller outranks. */
export const listUserEntries = endpoint({
  method: "GET",
  path: "/api/user/:id/entries",
  access: "admin",
  input: z.object({ ...listing, id }),
  output: statement,
});
