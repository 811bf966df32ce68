/**
 * Why a balance is what it is: from what it was at a time to what it is now, the money that came and
 * went, what calls have cost, and how long it lasts. Amounts are whole quota units, times Unix
 * seconds.
 */

import { z } from "zod";
import { queryWhole } from "@tollgate/contract/fields/fields.ts";
import { endpoint } from "./endpoint.ts";
import { entryKind } from "./entries.ts";

const whole = z.number().int();

/** How many models, and how many API keys, are named at most; the rest is summed as one part. */
export const balancePartsMax = 8;

/** The number of dearest calls that are named. */
export const dearestCallsMax = 5;

/** The days by which a balance is forecast, and how many of them must have calls at least. */
export const forecastDays = 7;
export const forecastDaysMin = 3;

/** The longest time that is explained, in days. */
export const balanceDaysMax = 92;

const part = z.object({
  /** The id of an API key; 0: a model, or calls without a key. */
  id: whole,
  /** Empty: an API key that was deleted, or calls without one; null: all others together. */
  name: z.string().nullable(),
  /** What its calls have cost; below 0: more was given back. */
  quota: whole,
});
export type BalancePart = z.infer<typeof part>;

const change = z.object({
  start: whole,
  end: whole,
  /** The balance at the start and now: `before` + all `money` + `calls` = `now`, to the unit. */
  before: whole,
  now: whole,
  /** What came and went otherwise than by calls. */
  money: z.array(z.object({ kind: entryKind, amount: whole })),
  /** What calls have added to the balance, so mostly below 0. */
  calls: whole,
  /**
   * The same by model and by API key, largest first; each adds up to `-calls`, together with `later`:
   * what was charged or given back for calls of another time.
   */
  models: z.array(part),
  tokens: z.array(part),
  later: whole,
  dearest: z.array(
    z.object({
      id: whole,
      request_id: z.string(),
      created_at: whole,
      token_name: z.string(),
      model_name: z.string(),
      quota: whole,
    }),
  ),
  /**
   * What the days of a week are expected to cost, each like the same weekday of the last seven; null:
   * too few of these days had calls. `empty_at` null: the balance lasts for more than a year.
   */
  forecast: z.object({ week: whole, empty_at: whole.nullable() }).nullable(),
});
export type BalanceChange = z.infer<typeof change>;

/** Explains the caller's balance. */
export const readBalanceChange = endpoint({
  method: "GET",
  path: "/api/user/self/balance",
  access: "user",
  input: z.object({
    /** Is moved to the start of its hour. Absent: a day ago. */
    start_timestamp: queryWhole,
    /** Minutes by which the reader's clock is ahead of UTC: it decides where a day begins. */
    ahead: queryWhole,
  }),
  output: change,
});
