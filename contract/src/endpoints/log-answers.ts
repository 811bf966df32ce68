/**
 * What the log answers about all rows that a list's filters match: a chart over time, the values of
 * a filter with their counts, failed calls by reason, and the rows themselves as a file. Each takes
 * the filters of the list, so that the sums are those of its rows, to the unit. Times are Unix
 * seconds, quota is whole quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText } from "@tollgate/contract/fields/fields.ts";
import {
  listedOwnLog,
  log,
  logFilter,
  logSourceFilter,
  ownLogFilter,
  rootLogFilter,
} from "./logs.ts";

const whole = z.number().int();

/** What the bars of the chart are divided by; `reason`: the ending of the calls that failed. */
export const chartParts = ["model", "token", "user", "channel", "group", "reason"] as const;
export type ChartPart = (typeof chartParts)[number];

/** What the bars measure; a chart has all but `first_byte`, and series by what it measures. */
export const chartMeasures = ["quota", "calls", "failures", "first_byte"] as const;
export type ChartMeasure = (typeof chartMeasures)[number];

/** Filters whose values are listed with counts. `reason`, `status` and `finish` are of endings. */
export const logFacets = [...chartParts, "status", "finish", "tag", "conversation"] as const;
export type LogFacet = (typeof logFacets)[number];

/** Those that users may not see of their own calls. */
const hidden = { user: true, channel: true } as const;
const ownParts = z.enum(chartParts).exclude(Object.keys(hidden) as ("channel" | "user")[]);
const ownFacets = z.enum(logFacets).exclude(Object.keys(hidden) as ("channel" | "user")[]);

/** The largest number of series of their own; all further ones are one series. */
export const logSeriesMax = 8;

/** The newest calls of each bar of which the time to the first byte is the median. */
export const firstByteCalls = 100;

const series = z.object({
  /** The value: a name, or an id as text; null: all others together. */
  value: z.string().nullable(),
  /** The name of what an id stands for; empty: it was deleted, or a call without an API key. */
  name: z.string(),
  /** One value for each bar. */
  quota: z.array(whole),
  calls: z.array(whole),
  failures: z.array(whole),
});

const chart = z.object({
  /** The time of the bars; `end` is exclusive. */
  start: whole,
  end: whole,
  /** The starts of the bars, oldest first. */
  buckets: z.array(whole),
  /** The zone in which days begin: option `TimeZone`. */
  time_zone: z.string(),
  series: z.array(series),
  /** The sums of all series: charged calls, what they cost now, and calls that failed. */
  totals: z.object({ quota: whole, calls: whole, failures: whole }),
  /** Milliseconds to the first byte for each bar, see `firstByteCalls`; empty: not asked for. */
  first_byte: z.array(whole.nullable()),
  /** False: no sums are kept of what is asked for, and more rows match than are added up. */
  is_whole: z.boolean(),
});
export type LogChart = z.infer<typeof chart>;

/**
 * A conversation in which the results of one tool have come more often than this is named by that tool,
 * because its agent may run in a circle.
 */
export const loopedCallsMin = 10;

/** The most values of a facet that are listed. */
export const facetValuesMax = 20;

const facet = z.object({
  /** Most calls first. */
  values: z.array(
    z.object({
      /** A name, an id as text, a status, or an ending. */
      value: z.string(),
      /**
       * The name of what an id stands for; empty: it was deleted. Of a conversation: `bash × 14`, see
       * `loopedCallsMin`; empty: no tool was called so often.
       */
      name: z.string(),
      /** Calls, charged and failed. */
      calls: whole,
      quota: whole,
    }),
  ),
  /** How many further values there are. */
  more: whole,
});
export type LogFacetValues = z.infer<typeof facet>;

const failureGroup = z.object({
  /** See `logs/endings.ts`. */
  ending: z.string(),
  calls: whole,
  users: whole,
  first_at: whole,
  last_at: whole,
  /** The channels at which most of these calls were last tried; empty for users themselves. */
  channels: z.array(
    z.object({
      id: whole,
      /** Empty: it was deleted. */
      name: z.string(),
      calls: whole,
    }),
  ),
  /** The newest of these calls; null: its row was removed. */
  example: z
    .object({
      id: whole,
      request_id: z.string(),
      model_name: z.string(),
      content: z.string(),
    })
    .nullable(),
});
export type FailureGroup = z.infer<typeof failureGroup>;

/** The most channels that a group of failed calls names. */
export const failureChannelsMax = 3;

/** The most groups of failed calls. */
export const failureGroupsMax = 50;

/** The most rows of a file. */
export const exportRowsMax = 1_000_000;

const exported = <Row extends z.ZodType>(row: Row) =>
  z.object({
    /** How many rows the file will have. */
    total: whole,
    /** Whether there are more rows than `exportRowsMax`. */
    is_cut: z.boolean(),
    rows: z.array(row),
  });

const chartInput = {
  ...logSourceFilter,
  measure: z.enum(chartMeasures).catch("quota"),
};
const facetInput = {
  ...logSourceFilter,
  /** The beginning of the values; empty: all. */
  prefix: queryText,
};
const exportInput = { ...logSourceFilter, sort: queryText };
const by = z.enum(chartParts).catch("model");

export const readLogChart = endpoint({
  method: "GET",
  path: "/api/log/chart",
  access: "admin",
  input: z.object({ ...logFilter, ...chartInput, by }),
  output: chart,
});

export const readOwnLogChart = endpoint({
  method: "GET",
  path: "/api/log/self/chart",
  access: "user",
  input: z.object({
    ...ownLogFilter,
    ...chartInput,
    request_id: queryText,
    by: ownParts.catch("model"),
  }),
  output: chart,
});

/** As `listLogsByKey`: a POST, so that the key is not part of the address. */
export const readLogChartByKey = endpoint({
  method: "GET",
  path: "/api/log/new/chart",
  alias: "POST",
  access: "root",
  input: z.object({ ...rootLogFilter, ...chartInput, by }),
  output: chart,
});

/** Lists the values of a filter with their counts among the rows that the other filters match. */
export const readLogFacet = endpoint({
  method: "GET",
  path: "/api/log/facet",
  access: "admin",
  input: z.object({ ...logFilter, ...facetInput, facet: z.enum(logFacets) }),
  output: facet,
});

export const readOwnLogFacet = endpoint({
  method: "GET",
  path: "/api/log/self/facet",
  access: "user",
  input: z.object({ ...ownLogFilter, ...facetInput, request_id: queryText, facet: ownFacets }),
  output: facet,
});

export const readLogFacetByKey = endpoint({
  method: "GET",
  path: "/api/log/new/facet",
  alias: "POST",
  access: "root",
  input: z.object({ ...rootLogFilter, ...facetInput, facet: z.enum(logFacets) }),
  output: facet,
});

/** Groups the calls that failed or whose answers broke off by how they ended, newest group first. */
export const readLogFailures = endpoint({
  method: "GET",
  path: "/api/log/failures",
  access: "admin",
  input: z.object({ ...logFilter, ...logSourceFilter }),
  output: z.array(failureGroup),
});

export const readOwnLogFailures = endpoint({
  method: "GET",
  path: "/api/log/self/failures",
  access: "user",
  input: z.object({ ...ownLogFilter, ...logSourceFilter, request_id: queryText }),
  output: z.array(failureGroup),
});

export const readLogFailuresByKey = endpoint({
  method: "GET",
  path: "/api/log/new/failures",
  alias: "POST",
  access: "root",
  input: z.object({ ...rootLogFilter, ...logSourceFilter }),
  output: z.array(failureGroup),
});

/** Sends the rows of the list one after the other, as they were when the call came. */
export const exportLogs = endpoint({
  method: "GET",
  path: "/api/log/export",
  access: "admin",
  input: z.object({ ...logFilter, ...exportInput }),
  output: exported(log),
  pushed: true,
});

export const exportOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self/export",
  access: "user",
  input: z.object({ ...ownLogFilter, ...exportInput, request_id: queryText }),
  output: exported(listedOwnLog),
  pushed: true,
});
