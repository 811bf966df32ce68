/**
 * Re-rates: past calls of a span are charged again by the prices of a saved version, only if root asks,
 * and by the preview that root has seen. The difference of each call is an entry of its own. A re-rate
 * can be taken back as a whole.
 */

import { z } from "zod";
import { id } from "@tollgate/contract/fields/fields.ts";
import { endpoint } from "./endpoint.ts";
import { page, pageInput } from "./page.ts";

/** The longest reason and the longest notice, in characters. */
export const rerateReasonMax = 200;
export const rerateNoticeMax = 400;

/** The most users that the result of a re-rate names, those with the largest difference first. */
export const rerateUsersMax = 100;

/** How long before a preview its last call must have ended for a re-rate, in seconds. */
export const rerateMarginSeconds = 15;

const whole = z.number().int();

/**
 * `charging` goes through calls, `telling` and `stopping` tell users, `stopped` was ended by root
 * before all calls were charged.
 */
export const rerateState = z.enum(["charging", "telling", "done", "stopping", "stopped"]);

/** What happens to a call whose user does not have the difference. */
export const shortfall = z.enum(["skip", "debt"]);
export type Shortfall = z.infer<typeof shortfall>;

const rerate = z.object({
  id: whole,
  state: rerateState,
  /** The re-rate that this one takes back; 0: none. */
  undoes: whole,
  /** The re-rate that takes this one back; 0: none. */
  undone_by: whole,
  /** Whether it can be taken back: it has ended, and none came after it that stands. */
  may_undo: z.boolean(),
  /** The price version that calls are charged by. */
  version: whole,
  /** The calls from `start` to before `end`; Unix seconds. */
  start: whole,
  end: whole,
  shortfall,
  reason: z.string(),
  notice: z.string(),
  /** Unix seconds. `finished_at` 0: it goes on. */
  created_at: whole,
  finished_at: whole,
  created_by: whole,
  created_by_name: z.string(),
  /** How many calls there are, and how many were looked at. */
  calls: whole,
  done: whole,
  /** By how much the preview said that their charges change, in quota units. */
  expected: whole,
  /** How many charges have changed; what was added to some, and taken off others. */
  changed: whole,
  raised: whole,
  lowered: whole,
  /** How much of `raised` became debts. */
  owed: whole,
  /** Calls whose user did not have enough, and the differences that were not taken. */
  skipped_calls: whole,
  skipped: whole,
  /** Calls whose charge was given back since the preview, and the differences it said for them. */
  gone_calls: whole,
  gone: whole,
});
export type Rerate = z.infer<typeof rerate>;

const rerateUser = z.object({
  user_id: whole,
  /** Empty: a user who was deleted. */
  name: z.string(),
  changed: whole,
  raised: whole,
  lowered: whole,
  owed: whole,
  skipped_calls: whole,
  skipped: whole,
});
export type RerateUser = z.infer<typeof rerateUser>;

/** Lists re-rates, newest first. */
export const listRerates = endpoint({
  method: "GET",
  path: "/api/prices/rerates",
  access: "root",
  input: z.object({ ...pageInput }),
  output: page(rerate),
});

/** Reads a re-rate and what it has changed for its users. */
export const readRerate = endpoint({
  method: "GET",
  path: "/api/prices/rerates/:id",
  access: "root",
  input: z.object({ id }),
  output: z.object({ rerate, users: z.array(rerateUser), user_count: whole }),
});

const asked = {
  reason: z.string().trim().min(1, "请填写原因").max(rerateReasonMax),
  /** What users are told; needed where charges rise. */
  notice: z.string().trim().max(rerateNoticeMax).default(""),
  shortfall: shortfall.default("skip"),
};

/**
 * Charges the calls of a preview again by the saved version that it tried. It goes on beside calls,
 * also after the death of its node.
 */
export const beginRerate = endpoint({
  method: "POST",
  path: "/api/prices/rerates",
  access: "root",
  stepUp: () => true,
  input: z.object({ preview: z.string().min(1).max(64), ...asked }),
  output: z.object({ id: whole }),
});

/** Takes a re-rate back: each call is charged again what it was charged before. */
export const undoRerate = endpoint({
  method: "POST",
  path: "/api/prices/rerates/:id/undo",
  access: "root",
  stepUp: () => true,
  input: z.object({ id, ...asked }),
  output: z.object({ id: whole }),
});

/** Ends a re-rate before all calls are charged again. What it has changed stays. */
export const stopRerate = endpoint({
  method: "POST",
  path: "/api/prices/rerates/:id/stop",
  access: "root",
  stepUp: () => true,
  input: z.object({ id }),
  output: z.void(),
});
