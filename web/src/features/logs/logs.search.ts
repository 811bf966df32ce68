/**
 * The part of the address that holds the filters of the log. A token's key is a secret and never
 * part of it.
 */

import { useEffect, useState } from "react";
import { chartMeasures, chartParts } from "@tollgate/contract/endpoints/log-answers.ts";
import { usageSource } from "@tollgate/contract/endpoints/logs.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** What can stand above the list of the log. `errors`: failed calls by reason. */
const answerViews = ["chart", "table", "errors", "none"] as const;
export type AnswerView = (typeof answerViews)[number];

/** A time range in Unix seconds; 0: no limit. */
export type LogRange = { readonly start: number; readonly end: number };

/** Seconds by which the default range reaches into the future, so that new calls fall into it. */
const rangeAhead = 3_600;

/** Returns the range used if the address names none: from local midnight to an hour from now. */
export function defaultRange(nowMs: number): LogRange {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  return { start: midnight / 1_000, end: Math.floor(nowMs / 1_000) + rangeAhead };
}

const text = z.coerce.string().trim().max(100).default("").catch("");
const whole = z.coerce.number().int().min(0);

/**
 * Makes the schema of the log's part of the address.
 * @param range the range used if the address names none.
 */
export function logSearch(range: LogRange) {
  return listSearch.extend({
    start: whole.catch(range.start),
    end: whole.catch(range.end),
    /** A number of `logType`; empty: all types. */
    type: z.enum(["", "1", "2", "3", "4", "5", "9"]).catch(""),
    model_name: text,
    token_name: text,
    /** The token's id; −1: calls without a token; empty: all. */
    token_id: z.coerce
      .string()
      .regex(/^(-1|\d{0,15})$/)
      .default("")
      .catch(""),
    group: text,
    /** The call with this `X-Request-Id`; empty: all. */
    request_id: text,
    /** The turns of this conversation; empty: all calls. */
    conversation_id: z.coerce
      .string()
      .regex(/^\d{0,16}$/)
      .default("")
      .catch(""),
    /** The least cost in dollars; empty: all. */
    cost: z.coerce
      .string()
      .regex(/^\d{0,9}(\.\d{0,9})?$/)
      .default("")
      .catch(""),
    /** See `usageSource`; empty: all rows. */
    usage_source: z.enum(["", ...usageSource.options]).catch(""),
    /** The filters by user and channel, which only admins have. */
    username: text,
    /** An id, or the beginning of a name with a final `%`. */
    channel: text,
    /** The first words of an ending, see `logs/endings.ts` of the contract; empty: all rows. */
    ending: text,
    /** The whole tag; empty: all rows. */
    tag: text,
    /** What stands above the list; empty: the chart, or on a phone nothing. */
    answer: z.enum(["", ...answerViews]).catch(""),
    /** What the chart's bars are divided by, and what they measure. */
    by: z.enum(chartParts).catch("model"),
    measure: z.enum(chartMeasures).catch("quota"),
    /** 1: the live tail is on. */
    live: whole.max(1).catch(0),
  });
}
export type LogSearch = z.output<ReturnType<typeof logSearch>>;

/** Milliseconds between two checks whether the default range must be extended. */
const lookIntervalMs = 60_000;

/**
 * Returns the time range for an address that names none. It stays the same while the user reads, so
 * that the list does too; only when less than half an hour of it is left is its end moved on.
 */
export function useDefaultRange(): LogRange {
  const [range, setRange] = useState(() => defaultRange(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => {
      const next = defaultRange(Date.now());
      setRange((now) => (next.end - now.end < rangeAhead / 2 ? now : { ...now, end: next.end }));
    }, lookIntervalMs);
    return () => clearInterval(timer);
  }, []);
  return range;
}
