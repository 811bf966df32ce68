/**
 * The history of a balance: every change of it, newest first. A user's entries are numbered from 1
 * without gaps, so a page is found by its numbers and every page costs the same. Amounts are whole
 * quota units, times Unix seconds.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "./fields.ts";
import { page, pageInput } from "./page.ts";

/**
 * Why a balance changed; `settle` is a call that was charged, `reversal` gives one back whose
 * answer was withheld.
 */
export const entryKind = z.enum([
  "admin_adjust",
  "aff_transfer",
  "invite",
  "redeem",
  "refund",
  "reversal",
  "settle",
  "task_charge",
  "topup",
]);

const whole = z.number().int();

export const entry = z.object({
  /** Position among the user's entries. */
  seq: whole,
  kind: entryKind,
  /** Positive adds to the balance, negative takes from it. */
  amount: whole,
  balance_after: whole,
  /** 0: no token was involved. */
  token_id: whole,
  /** The usage log's row if the entry is a call; otherwise 0. */
  log_id: whole,
  /** For example an admin's reason; empty: none was given. */
  detail: z.string(),
  created_at: whole,
});
export type Entry = z.infer<typeof entry>;

/** The caller's entries. */
export const listOwnEntries = endpoint({
  method: "GET",
  path: "/api/user/self/entries",
  access: "user",
  input: z.object(pageInput),
  output: page(entry),
});

/** The entries of a user whom the caller outranks, or the caller's own. */
export const listUserEntries = endpoint({
  method: "GET",
  path: "/api/user/:id/entries",
  access: "admin",
  input: z.object({ ...pageInput, id }),
  output: page(entry),
});
