import type { JsonObject } from "#base/json.ts";
import type { Item } from "./request.ts";
import type { Usage } from "./usage.ts";

/**
 * One step of an answer. Streaming and non-streaming answers decode to the same sequence: one
 * `start`; then items, each `item-start`, its pieces and `item-end`; then `usage` and `finish`. A
 * `fault` may replace the rest at any point. `slot` numbers the items from 0.
 */
export type CanonicalEvent =
  | { readonly type: "start"; readonly responseId: string; readonly model: string }
  | { readonly type: "item-start"; readonly slot: number; readonly item: ItemHead }
  | { readonly type: "text"; readonly slot: number; readonly text: string }
  | { readonly type: "reasoning"; readonly slot: number; readonly text: string }
  /**
   * The next piece of a tool call's arguments as JSON text; the concatenated pieces are the
   * arguments.
   */
  | { readonly type: "arguments"; readonly slot: number; readonly json: string }
  /**
   * Ends an item and carries all of it, so that a writer whose last event repeats the item keeps no
   * state of its own.
   */
  | { readonly type: "item-end"; readonly slot: number; readonly item: Item }
  /** The last `usage` event counts; earlier ones are preliminary. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Why the model stopped; `raw` is the reason as the upstream named it. */
  | { readonly type: "finish"; readonly reason: EndReason; readonly raw: string }
  | { readonly type: "fault"; readonly fault: UpstreamFault }
  /**
   * An event that only one dialect has. Sent unchanged to clients of the same dialect, and not at
   * all to others.
   */
  | { readonly type: "unknown"; readonly dialect: string; readonly raw: JsonObject };

/** What is known of an item before its content arrives. */
export type ItemHead =
  | { readonly type: "message" | "reasoning" | "opaque" }
  | { readonly type: "tool-call"; readonly callId: string; readonly name: string };

/** Why the model stopped. `other` keeps the pipeline working when a provider adds a reason. */
export type EndReason = "complete" | "length" | "tool-call" | "refused" | "other";

/**
 * A failure of the upstream. It is a value and not an exception, because routing decides on it.
 * `code` is the provider's own, or one of `answer-malformed`, `answer-truncated`, `http-<status>`.
 */
export type UpstreamFault = {
  readonly code: string;
  /**
   * The upstream's message, shortened. It may name hosts or quote keys, so these are removed before
   * a client sees it.
   */
  readonly message: string;
  /**
   * Whether another channel may succeed, or this one at a later time. Whether the relay may still
   * try depends on what the client has already received.
   */
  readonly retryable: boolean;
  /** Whether the channel is at fault (its key, balance or models), not this call. */
  readonly channelFault: boolean;
  /** The pause that the upstream asked for, whatever its length; absent: none. */
  readonly retryAfterMs?: number;
};
