/**
 * The calls that run now, on all nodes, and how they are stopped. Root sees all, administrators
 * their own and those of users below them, users their own. Amounts are quota units.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText, queryWhole, sentText } from "@tollgate/contract/fields/fields.ts";

/** The most calls that one view has: those that have run longest. */
export const liveCallsMax = 200;

/** How many calls may be stopped at once without a fresh second factor. */
export const stopsUnproven = 10;

/** The most calls that are named one by one to be stopped. */
export const stopIdsMax = 200;

/** The longest reason for a stop, in characters. */
export const stopReasonMax = 200;

/** How long one answer of `streamLive` lasts at most, in seconds; its reader then asks again. */
export const liveSecondsMax = 60;

const whole = z.number().int();
const count = whole.min(0);

export const liveReasons = ["", "issuer", "only", "pinned", "priority", "retry", "weight"] as const;

export const liveCall = z.object({
  request_id: z.string(),
  /** A session is a WebSocket that lasts for many answers. */
  kind: z.enum(["call", "session"]),
  user_id: whole,
  username: z.string(),
  /** 0: the playground's. */
  token_id: whole,
  token_name: z.string(),
  model_name: z.string(),
  group: z.string(),
  /** The client's wire format. */
  format: z.string(),
  is_stream: z.boolean(),
  /** 0: none yet. In what users see it is always 0, and the names are empty. */
  channel: whole,
  channel_name: z.string(),
  /** Why the call is at that channel; empty: there is none, or the reader may not know. */
  reason: z.enum(liveReasons),
  /** How many channels were tried; 0 in what users see. */
  attempts: count,
  /** How long it has run, in milliseconds. */
  age_ms: count,
  /** Null: nothing has come yet. */
  first_byte_ms: count.nullable(),
  /** The output so far, estimated. */
  output_tokens: count,
  tokens_per_second: z.number().min(0),
  /** What has come would be charged about this much. */
  quota: count,
  held: count,
  /** Whether the client has left, and the answer is read on for its usage. */
  client_gone: z.boolean(),
  stopping: z.boolean(),
  /** Name of the node; empty in what users see. */
  node: z.string(),
});
export type LiveCall = z.infer<typeof liveCall>;

const liveNode = z.object({
  name: z.string(),
  /** All calls that run there. */
  calls: count,
  /** Whether it takes no more calls and waits for these. */
  draining: z.boolean(),
  /** Whether it has told its calls in the last seconds; if not, they are missing here. */
  answers: z.boolean(),
});
export type LiveNode = z.infer<typeof liveNode>;

export const liveView = z.object({
  /** Longest first. */
  calls: z.array(liveCall),
  /** How many match, as far as they are known. */
  total: count,
  /** Whether more calls run than are shown or known here. */
  sampled: z.boolean(),
  /** All nodes that live; empty in what users see. */
  nodes: z.array(liveNode),
});
export type LiveView = z.infer<typeof liveView>;

const filter = {
  /** Parts of names. `username` and `channel` are for administrators. */
  username: queryText,
  token_name: queryText,
  model_name: queryText,
  /** Id of a channel. */
  channel: queryWhole,
  /** Only calls that have run for so many seconds. */
  min_seconds: queryWhole,
};

/** Tells the calls that run now. */
export const readLive = endpoint({
  method: "GET",
  path: "/api/live/",
  access: "user",
  input: z.object(filter),
  output: liveView,
});

/** Tells the calls that run now once a second, as server-sent events. */
export const streamLive = endpoint({
  method: "GET",
  path: "/api/live/stream",
  access: "user",
  pushed: true,
  input: z.object({
    ...filter,
    /** How long it goes on, in seconds; 0: one event. */
    seconds: queryWhole,
  }),
  output: liveView,
});

const idOf = whole.min(0, "无效的参数").optional();

/**
 * Stops running calls, on all nodes: their clients get an error in place of the end, and what came
 * is billed. All fields that are given must match; at least one is needed.
 */
export const stopLive = endpoint({
  method: "POST",
  path: "/api/live/stop",
  access: "user",
  input: z.object({
    request_ids: z.array(z.string().min(1).max(100)).min(1).max(stopIdsMax).optional(),
    user_id: idOf,
    token_id: idOf,
    model_name: z.string().min(1).max(200).optional(),
    /** For administrators. */
    channel: idOf,
    /** Only calls that have run for so many seconds. */
    min_seconds: idOf,
    /** Stands in the rows of the calls. */
    reason: sentText(stopReasonMax, `原因不能超过 ${stopReasonMax} 个字符`),
  }),
  output: z.object({
    stopped: count,
    /** Names of the nodes that have not answered, where calls may run on. */
    silent: z.array(z.string()),
  }),
});
