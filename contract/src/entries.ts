/**
 * How a balance came to be what it is: every change of it, newest first. A user's entries are
 * numbered from 1 without gaps, so a page is found by its numbers and costs the same wherever it
 * lies. Amounts are whole quota units, times Unix seconds.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "./fields.ts";
import { page, pageInput } from "./page.ts";

/** Why a balance changed; `settle` is a call that was charged. */
export const entryKind = z.enum([
  "admin_adjust",
  "aff_transfer",
  "invite",
  "redeem",
  "refund",
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
  /** 0: no token took part. */
  token_id: whole,
  /** Of a call its row in the usage log; else 0. */
  log_id: whole,
  /** Such as an admin's reason; empty: nothing was said. */
  detail: z.string(),
  created_at: whole,
});
export type Entry = z.infer<typeof entry>;

/** Those of the caller. */
export const listOwnEntries = endpoint({
  method: "GET",
  path: "/api/user/self/entries",
  access: "user",
  input: z.object(pageInput),
  output: page(entry),
});

/** Those of a user below the caller, or of the caller. */
export const listUserEntries = endpoint({
  method: "GET",
  path: "/api/user/:id/entries",
  access: "admin",
  input: z.object({ ...pageInput, id }),
  output: page(entry),
});
