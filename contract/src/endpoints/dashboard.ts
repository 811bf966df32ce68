/**
 * The dashboard: what calls cost and how many there were, from the hourly roll-up of charges. So
 * times are cut to whole hours, and a charge counts as soon as it is settled. Times are Unix
 * seconds, quota is whole quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { daySeconds } from "@tollgate/contract/fields/time-zone.ts";

const whole = z.number().int();

/** What the bars of a chart stand for. */
export const granularity = z.enum(["hour", "day", "week"]);
export type Granularity = z.infer<typeof granularity>;

/** Spans by name, of whole days in the zone of option `TimeZone`; all but `yesterday` end today. */
export const namedSpan = z.enum(["today", "yesterday", "3d", "7d", "30d"]);
export type NamedSpan = z.infer<typeof namedSpan>;

/** The longest span that the dashboard sums, in days. */
export const dashboardDaysMax = 92;

/** The longest span that is shown by the hour, in days. */
export const hourlyDaysMax = 31;

/** The longest span of `listOwnQuotaData`, in seconds, as in one-api's console API. */
export const ownDataSecondsMax = 30 * daySeconds;

/** What one model cost in one hour, as one-api's dashboards read it. */
const quotaData = z.object({
  id: whole,
  /** 0, and the name empty: the row is of all users. */
  user_id: whole,
  username: z.string(),
  model_name: z.string(),
  /** The start of the hour. */
  created_at: whole,
  /** Input and output tokens. */
  token_used: whole,
  /** Number of charged calls. */
  count: whole,
  quota: whole,
});
export type QuotaData = z.infer<typeof quotaData>;

/** Consoles also send `default_time`, by which they draw the answer; it changes nothing here. */
const dataInput = { start_timestamp: queryWhole, end_timestamp: queryWhole };

/** Lists the charges of all users, or of the named one, by hour and model. */
export const listQuotaData = endpoint({
  method: "GET",
  path: "/api/data/",
  access: "admin",
  input: z.object({ ...dataInput, username: queryText }),
  output: z.array(quotaData),
});

/** Lists the caller's own charges by hour and model. */
export const listOwnQuotaData = endpoint({
  method: "GET",
  path: "/api/data/self/",
  access: "user",
  input: z.object(dataInput),
  output: z.array(quotaData),
});

const sums = z.object({
  quota: whole,
  /** Number of charged calls. */
  calls: whole,
  prompt_tokens: whole,
  completion_tokens: whole,
});
export type DashboardSums = z.infer<typeof sums>;

const totals = sums.extend({
  /** Number of calls that failed or were interrupted, and so were not charged. */
  failures: whole,
});

const part = sums.extend({
  /** The id of the token, user or channel; 0 for a model, and for the token of no token. */
  id: whole,
  /** Empty: a token or channel that was deleted. */
  name: z.string(),
});
export type DashboardPart = z.infer<typeof part>;

/** The parts of the whole with the largest charges, and the sum of all further ones. */
const share = z.object({
  top: z.array(part),
  /** `count`: how many parts are added up here. */
  rest: sums.extend({ count: whole }),
});
export type DashboardShare = z.infer<typeof share>;

/** The largest number of parts of a share. */
export const shareMax = 20;

/** The largest number of models with bars of their own. */
export const seriesMax = 10;

/** The number of most expensive calls that the dashboard names. */
export const dearestMax = 5;

const dearest = z.object({
  /** The id of the call's log row. */
  id: whole,
  request_id: z.string(),
  created_at: whole,
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: whole,
  prompt_tokens: whole,
  completion_tokens: whole,
});
export type DearestCall = z.infer<typeof dearest>;

const dashboard = z.object({
  /** The zone in which days and weeks begin: option `TimeZone`. */
  time_zone: z.string(),
  /** The span that is summed, in whole hours; `end` is exclusive. */
  start: whole,
  end: whole,
  granularity,
  totals,
  /** The totals of the span of the same length before. */
  before: totals,
  /** Charged calls, and their tokens, of the last 60 seconds. */
  rpm: whole,
  tpm: whole,
  /**
   * Milliseconds to the first byte: the median and the 99th percentile, as counts by bucket give
   * them. For admins of all answered attempts of the span, as long as no user, token or group is
   * chosen; otherwise of its charged calls, also of those whose log rows were removed. Null: there
   * were none.
   */
  first_byte: z.object({ p50: whole, p99: whole, calls: whole }).nullable(),
  /** The starts of the bars, oldest first. */
  buckets: z.array(whole),
  /**
   * The bars of the models with the largest charges, and of all others together (`model_name`
   * null), with a value for each bucket.
   */
  series: z.array(
    z.object({
      model_name: z.string().nullable(),
      quota: z.array(whole),
      calls: z.array(whole),
    }),
  ),
  models: share,
  tokens: share,
  /** Null: only admins see the users and the channels. */
  users: share.nullable(),
  channels: share.nullable(),
  /** The most expensive calls of the span, most expensive first. */
  dearest: z.array(dearest),
  /** False: the span has too many calls, or log rows of it were removed, so not all are compared. */
  dearest_of_all: z.boolean(),
  /** After how many minutes a page that shows the sums reads them again: `DataExportInterval`. */
  refresh_minutes: whole,
});
export type Dashboard = z.infer<typeof dashboard>;

const dashboardInput = {
  /** The span that is summed if no start is given. */
  span: namedSpan.catch("3d"),
  /** Inclusive; both ends are widened to whole hours. */
  start_timestamp: queryWhole,
  end_timestamp: queryWhole,
  granularity: granularity.catch("hour"),
  /** Filters: the whole name of the model or group, and the token's id. */
  model_name: queryText,
  group: queryText,
  token_id: queryWhole,
};

/** Sums the calls of all users, or of those that the filters name. */
export const readDashboard = endpoint({
  method: "GET",
  path: "/api/dashboard/",
  access: "admin",
  input: z.object({ ...dashboardInput, username: queryText, channel: queryWhole }),
  output: dashboard,
});

/** Sums the caller's own calls. */
export const readOwnDashboard = endpoint({
  method: "GET",
  path: "/api/dashboard/self",
  access: "user",
  input: z.object(dashboardInput),
  output: dashboard,
});

const cachePart = z.object({
  /** The id of the token, user or channel; 0 for a model, and for the token of no token. */
  id: whole,
  /** Empty: a token, user or channel that was deleted. */
  name: z.string(),
  /** How many of its input tokens providers had in their caches. */
  cached_tokens: whole,
  /** What its calls were charged more because their conversations had moved: an estimate. */
  moved_quota: whole,
});
export type PromptCachePart = z.infer<typeof cachePart>;

/** The longest span that is told day by day, in days. */
export const promptCacheDaysMax = 40;

/** The most models whose days are told apart. */
export const promptCacheModelsMax = 5;

const caches = z.object({
  cached_tokens: whole,
  moved_quota: whole,
  /**
   * The models that had most from caches, day by day, oldest first: what they had of their input.
   * Empty: the span is longer than `promptCacheDaysMax` days.
   */
  days: z.array(
    z.object({
      /** The start of the day in the zone of option `TimeZone`, in Unix seconds. */
      start: whole,
      models: z.array(z.object({ name: z.string(), cached_tokens: whole, prompt_tokens: whole })),
    }),
  ),
  /** The parts that lost most, and then those that had most from caches. */
  models: z.array(cachePart),
  tokens: z.array(cachePart),
  /** Null: only admins see the users and the channels. */
  users: z.array(cachePart).nullable(),
  channels: z.array(cachePart).nullable(),
});
export type DashboardPromptCaches = z.infer<typeof caches>;

/** Sums what the caches of providers had of the input that `readDashboard` sums. */
export const readPromptCaches = endpoint({
  method: "GET",
  path: "/api/dashboard/caches",
  access: "admin",
  input: z.object({ ...dashboardInput, username: queryText, channel: queryWhole }),
  output: caches,
});

export const readOwnPromptCaches = endpoint({
  method: "GET",
  path: "/api/dashboard/caches/self",
  access: "user",
  input: z.object(dashboardInput),
  output: caches,
});

/**
 * How well calls of a group are answered. `up`: nearly all are; `degraded`: some fail, or a channel
 * of the group was disabled automatically; `down`: most fail, or no channel is enabled; `idle`:
 * there were none.
 */
const lineState = z.enum(["up", "degraded", "down", "idle"]);
export type LineState = z.infer<typeof lineState>;

/** The number of hours that a line shows, the present one included. */
export const lineHours = 24;

const line = z.object({
  group: z.string(),
  description: z.string(),
  state: lineState,
  /** The last hours, oldest first. */
  hours: z.array(
    z.object({
      at: whole,
      state: lineState,
      /** Charged calls, and calls that failed for a reason of the gateway's side; 0 unless admin. */
      calls: whole,
      failures: whole,
    }),
  ),
  /** The channels of the group that are not enabled; empty unless admin. */
  channels: z.array(
    z.object({
      id: whole,
      name: z.string(),
      /** Whether the gateway disabled it, not an admin. */
      automatically: z.boolean(),
      /** Why and since when; empty and 0: not known. */
      reason: z.string(),
      since: whole,
    }),
  ),
  /** How many channels of the group are enabled; 0 unless admin. */
  enabled: whole,
});
export type Line = z.infer<typeof line>;

/** Reads the state of the groups that the caller may use; admins read all groups. */
export const readLines = endpoint({
  method: "GET",
  path: "/api/dashboard/lines",
  access: "user",
  input: z.object({}),
  output: z.array(line),
});
