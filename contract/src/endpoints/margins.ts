/**
 * What root earns and loses with calls: what they were charged, less what their channels charge.
 * Times are cut to whole hours, as on the dashboard; sums are whole quota units. Only root sees any
 * of it.
 */

import { z } from "zod";
import { namedSpan } from "./dashboard.ts";
import { endpoint } from "./endpoint.ts";
import { queryFlag, queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";

const whole = z.number().int();

const sums = z.object({
  /** What all calls were charged, and their number. */
  quota: whole,
  calls: whole,
  /** What the calls cost whose cost is known, what they were charged, and their number. */
  cost: whole,
  costed_quota: whole,
  costed_calls: whole,
});
export type MarginSums = z.infer<typeof sums>;

const marginRow = sums.extend({
  /** The id of the channel or user; 0 for a model or group. */
  id: whole,
  /** The name; empty: a channel or user that was deleted, or calls without a channel. */
  name: z.string(),
});
export type MarginRow = z.infer<typeof marginRow>;

export const marginKind = z.enum(["models", "channels", "users", "groups"]);
export type MarginKind = z.infer<typeof marginKind>;

const filter = {
  span: namedSpan.catch("7d"),
  /** Inclusive; both ends are widened to whole hours. Absent: the named span. */
  start_timestamp: queryWhole,
  end_timestamp: queryWhole,
  /** Whole names and ids; empty and 0: any. */
  model_name: queryText,
  group: queryText,
  username: queryText,
  channel: queryWhole,
  /** Only what was sold for less than it cost. */
  below: queryFlag,
};

/** Lists what was earned by model, channel, user or group, the largest loss first. */
export const listMargins = endpoint({
  method: "GET",
  path: "/api/margins/",
  access: "root",
  input: z.object({ by: marginKind.catch("models"), ...filter, ...pageInput }),
  output: page(marginRow),
  /** The sums of all rows, also of those that `below` leaves out. */
  extras: z.object({ totals: sums }),
});

const costedCall = z.object({
  /** The id of the log row. */
  id: whole,
  created_at: whole,
  request_id: z.string(),
  username: z.string(),
  model_name: z.string(),
  group: z.string(),
  channel: whole,
  channel_name: z.string(),
  prompt_tokens: whole,
  completion_tokens: whole,
  quota: whole,
  cost: whole,
});
export type CostedCall = z.infer<typeof costedCall>;

/** Lists the calls that were sold for less than they cost, newest first. */
export const listLosses = endpoint({
  method: "GET",
  path: "/api/margins/losses",
  access: "root",
  input: z.object({ ...filter, ...pageInput }),
  output: page(costedCall),
});

/** What a charged call cost, by the id of its log row; null: there is no such call. */
export const readCallCost = endpoint({
  method: "GET",
  path: "/api/margins/call/:id",
  access: "root",
  input: z.object({ id: z.coerce.number<number>().int().min(1) }),
  output: z
    .object({
      /** Null: nobody has said what the channel charges for the model. */
      cost: whole.nullable(),
      /** The version of the channel's cost list; 0: it had none. */
      cost_version: whole,
      /** What the upstream has reported, in US dollars; empty: nothing. */
      reported: z.string(),
    })
    .nullable(),
});
