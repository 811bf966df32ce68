/** The log screen's filters in the address. A token's key is never part of it. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** Unix seconds; 0: open. */
export type LogRange = { readonly start: number; readonly end: number };

/** Seconds by which the default range reaches into the future, so that it takes in new calls. */
export const rangeAhead = 3_600;

/** From local midnight to an hour from now: the range when the address names none. */
export function defaultRange(nowMs: number): LogRange {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  return { start: midnight / 1_000, end: Math.floor(nowMs / 1_000) + rangeAhead };
}

const text = z.coerce.string().trim().max(100).default("").catch("");
const whole = z.coerce.number().int().min(0);

/** @param range the range if the address names none. */
export function logSearch(range: LogRange) {
  return listSearch.extend({
    start: whole.catch(range.start),
    end: whole.catch(range.end),
    /** A number of `logType`; empty: all. */
    type: z.enum(["", "1", "2", "3", "4", "5"]).catch(""),
    model_name: text,
    token_name: text,
    group: text,
    /** Filters of admins only. */
    username: text,
    channel: z.coerce
      .string()
      .regex(/^\d{0,15}$/)
      .default("")
      .catch(""),
    /** 1: the live tail is on. */
    live: whole.max(1).catch(0),
  });
}
export type LogSearch = z.output<ReturnType<typeof logSearch>>;
