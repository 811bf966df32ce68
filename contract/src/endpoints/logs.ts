/**
 * The usage log, newest first: one row for each call or change of an account. Fields are
 * spelled as in one-api's console API. Times are Unix seconds, quota is whole quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id, queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { schemasFor } from "@tollgate/contract/logs/fields.ts";
import { page, pageInput } from "./page.ts";

/**
 * Kinds of log rows, as the numbers of one-api's console API; `failure` is a call that failed or
 * was interrupted, `imported` a call or an order of another gateway, which nothing counts.
 */
export const logType = z.enum({
  topup: 1,
  consumption: 2,
  management: 3,
  system: 4,
  failure: 5,
  imported: 9,
});
export type LogType = z.infer<typeof logType>;

/**
 * The largest number of matching rows that are counted; a `total` of this number means "this many
 * or more".
 */
export const logCountMax = 100_000;

/**
 * The longest time that one call of `cleanLogs` removes rows, in milliseconds: enough for some
 * hundred thousand rows.
 */
export const logCleanMaxMs = 5_000;

/**
 * Where the token counts of a charge come from. `upstream`: from the upstream's report.
 * `upstream+seen`: the stream did not end, so the report's input, cache and reasoning were believed,
 * and its output was as much as was reported or seen, whichever is more. `local`: the gateway's own
 * count. `suspect`: the same, because the upstream's counts are not plausible.
 */
export const usageSource = z.enum(["upstream", "upstream+seen", "local", "suspect"]);
export type UsageSource = z.infer<typeof usageSource>;

const whole = z.number().int();

/** A log row as its own user sees it; the channel is always 0. */
export const ownLog = z.object({ ...schemasFor("owner"), channel: whole });
export type OwnLog = z.infer<typeof ownLog>;

/** The channel's name, always empty: users are not shown it, but one-api consoles read it. */
export const listedOwnLog = ownLog.extend({
  channel_name: z.literal(""),
  tags: z.array(z.string()),
});

/** A log row as admins see it. What root alone may see is blank for others. */
export const log = ownLog.extend({
  ...schemasFor("admin"),
  ...schemasFor("root"),
  /** `""`: the call had no channel, or its channel was deleted. */
  channel_name: z.string(),
  /** The call's tags, see `logs/tags.ts`. No hash covers them. */
  tags: z.array(z.string()),
});
export type Log = z.infer<typeof log>;

/**
 * Filters with which users search their own rows. Names of users, tokens, channels and groups match
 * whole, or, with a final `%`, by their beginning.
 */
export const ownLogFilter = {
  /** Number of the log type; 0 and absent: rows of all types. */
  type: queryWhole,
  token_name: queryText,
  /** Only calls with this token; −1: calls without one, as in the playground; 0 and absent: all. */
  token_id: queryWhole,
  /** Part of the name, or, with a final `%`, the beginning of the name. */
  model_name: queryText,
  /** Both are Unix seconds and inclusive; 0 and absent: no limit. */
  start_timestamp: queryWhole,
  end_timestamp: queryWhole,
  group: queryText,
  /** Only rows of at least so many quota units; 0 and absent: all. */
  quota_min: queryWhole,
  /** Only turns of this conversation; 0 and absent: all. */
  conversation_id: queryWhole,
  /**
   * Only calls that ended so: the first words of an ending (`logs/endings.ts`), as `failed`,
   * `failed 429` or `left`; `complete`: only whole answers; empty: all rows.
   */
  ending: queryText,
  /** Only calls with this tag; empty: all rows. */
  tag: queryText,
};

/** Only charges whose token counts come from there, see `usageSource`; empty: all rows. */
export const logSourceFilter = { usage_source: queryText };

/**
 * What the log can be sorted by, besides the time: columns, and `first_byte`, the time to the first
 * byte; rows without one come last.
 */
export const logSorts = [
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "use_time",
  "first_byte",
] as const;
export type LogSort = (typeof logSorts)[number];

/** Inputs of the endpoints that list rows, besides the filters. */
const listInput = {
  ...pageInput,
  /**
   * To follow the log live: only rows that were added after the row with this id, oldest first;
   * `total` counts these rows alone. 0 and absent: all rows.
   */
  after_id: queryWhole,
  ...logSourceFilter,
  /**
   * A column of `logSorts`: least first; with `-` before it, most first, as `-quota` the dearest.
   * Other texts: newest first.
   */
  sort: queryText,
};

export const logFilter = {
  ...ownLogFilter,
  username: queryText,
  channel: queryWhole,
  /** Only calls of channels that have this name now. */
  channel_name: queryText,
  /** Finds the row of one call. The field has no index, so give a time range as well. */
  request_id: queryText,
};
/** The filters of root, who may also search by the key of a token, with or without `sk-`. */
export const rootLogFilter = { ...logFilter, key: queryText };

const stat = z.object({
  /** Quota units charged in the range, whatever `type` says. */
  quota: whole,
  /** Charged calls of the last 60 seconds, whatever the range. */
  rpm: whole,
  /** Input and output tokens of the charged calls of the last 60 seconds, whatever the range. */
  tpm: whole,
});
export type LogStat = z.infer<typeof stat>;

/** Lists rows of all users. Only root sees the channels that were tried. */
export const listLogs = endpoint({
  method: "GET",
  path: "/api/log/",
  access: "admin",
  input: z.object({ ...listInput, ...logFilter }),
  output: page(log),
});

/** Lists the caller's rows; `request_id` finds the row of one call. */
export const listOwnLogs = endpoint({
  method: "GET",
  path: "/api/log/self/",
  access: "user",
  input: z.object({ ...listInput, ...ownLogFilter, request_id: queryText }),
  output: page(listedOwnLog),
});

/**
 * Lists rows of all users, also by the key of a token. It is a POST so that the key is not part of
 * the address.
 */
export const listLogsByKey = endpoint({
  method: "GET",
  path: "/api/log/new/",
  alias: "POST",
  access: "root",
  input: z.object({ ...listInput, ...rootLogFilter }),
  output: page(log),
});

export const readLogStat = endpoint({
  method: "GET",
  path: "/api/log/stat",
  access: "admin",
  input: z.object({ ...logFilter, ...logSourceFilter }),
  output: stat,
});

export const readOwnLogStat = endpoint({
  method: "GET",
  path: "/api/log/self/stat",
  access: "user",
  input: z.object({ ...ownLogFilter, ...logSourceFilter }),
  output: stat,
});

export const readLogStatByKey = endpoint({
  method: "GET",
  path: "/api/log/new/stat",
  alias: "POST",
  access: "root",
  input: z.object({ ...rootLogFilter, ...logSourceFilter }),
  output: stat,
});

/**
 * Lists the usage log of one token. Programs should send the key in `Authorization`; the input
 * `key` is for programs that cannot. Sent by POST, the key stays out of addresses, which many
 * programs log.
 */
export const listTokenLogs = endpoint({
  method: "GET",
  path: "/api/log/token",
  alias: "POST",
  access: "public",
  byKey: true,
  input: z.object({ ...pageInput, key: queryText }),
  output: z.array(listedOwnLog),
  /** Number of rows on all pages; at most `logCountMax`. */
  extras: z.object({ total: whole }),
});

/**
 * What is kept of the texts of calls. Every signed-in user may read this, so that everybody knows
 * whether somebody may read what they send.
 */
const textRules = z.object({
  /** Whether the texts of calls that begin now are stored. */
  enabled: z.boolean(),
  /** For how many days texts are kept. */
  days: whole,
  /** The largest number of bytes that are stored of each text. */
  bytes_max: whole,
  /**
   * How many calls' texts this node has not stored since its start, because it could not keep up;
   * null: the caller is not root.
   */
  dropped: whole.nullable(),
});
export type TextRules = z.infer<typeof textRules>;

export const readTextRules = endpoint({
  method: "GET",
  path: "/api/log/texts",
  access: "user",
  input: z.object({}),
  output: textRules,
});

/** Removes the texts of all calls at once; answers with their number. Audited. */
export const removeTexts = endpoint({
  method: "DELETE",
  path: "/api/log/texts",
  access: "root",
  input: z.object({}),
  output: whole,
});

/**
 * Reads the request and the answer of a call, by the id of its log row. Both are empty if none are
 * stored. Reading a stored text is audited.
 */
export const readTexts = endpoint({
  method: "GET",
  path: "/api/log/extend/:id",
  access: "root",
  input: z.object({ id }),
  output: z.object({
    /** The request's body. */
    prompt: z.string(),
    /** The answer; of a stream the text that it makes when put together. */
    completion: z.string(),
    /** Whether texts of this call are stored. */
    stored: z.boolean(),
    /** The bytes of each whole text, of which only the first `LogContentMaxBytes` are stored. */
    prompt_bytes: whole,
    completion_bytes: whole,
  }),
});
export type CallTexts = z.infer<typeof readTexts.output>;

/**
 * Removes rows older than `target_timestamp`, oldest first, and answers with their number; the
 * message says whether some are left for a further call. Charges stay in the ledger.
 */
export const cleanLogs = endpoint({
  method: "DELETE",
  path: "/api/log/",
  access: "root",
  input: z.object({ target_timestamp: queryWhole }),
  output: whole,
});

/**
 * How far a cleaning in the background is. It goes on when its page is closed, and after a restart.
 */
export const logCleaning = z.object({
  /** `idle`: there was none yet. `done`, `stopped`: the last one has ended. */
  state: z.enum(["idle", "running", "done", "stopped"]),
  /** Rows before this time are removed. Unix seconds. */
  before: whole,
  removed: whole,
  /** How many rows there were to remove; null: they are not counted yet. */
  total: whole.nullable(),
  /** Unix seconds. */
  started_at: whole,
});
export type LogCleaning = z.infer<typeof logCleaning>;

/** Removes rows older than `target_timestamp` in the background. Only one cleaning runs at a time. */
export const startLogCleaning = endpoint({
  method: "POST",
  path: "/api/log/clean",
  access: "root",
  input: z.object({ target_timestamp: z.number().int().min(0) }),
  output: logCleaning,
});

export const readLogCleaning = endpoint({
  method: "GET",
  path: "/api/log/clean",
  access: "root",
  input: z.object({}),
  output: logCleaning,
});

/** Ends a cleaning in the background; what was removed stays so. */
export const stopLogCleaning = endpoint({
  method: "POST",
  path: "/api/log/clean/stop",
  access: "root",
  input: z.object({}),
  output: logCleaning,
});
