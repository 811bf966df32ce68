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
  /** The next piece of the call's arguments as JSON text; the pieces concatenate. */
  | { readonly type: "arguments"; readonly slot: number; readonly json: string }
  /** The item whole, so that a writer that must repeat it keeps no state of its own. */
  | { readonly type: "item-end"; readonly slot: number; readonly item: Item }
  /** The last one counts; earlier ones are what was known so far. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** `raw` is the upstream's own word. */
  | { readonly type: "finish"; readonly reason: EndReason; readonly raw: string }
  | { readonly type: "fault"; readonly fault: UpstreamFault }
  /** Goes to a client of the same dialect as it is, to others not at all. */
  | { readonly type: "unknown"; readonly dialect: string; readonly raw: JsonObject };

/** What is known of an item when it begins. */
export type ItemHead =
  | { readonly type: "message" | "reasoning" | "opaque" }
  | { readonly type: "tool-call"; readonly callId: string; readonly name: string };

/** Why the model stopped. `other` keeps the pipeline working when a provider adds a reason. */
export type EndReason = "complete" | "length" | "tool-call" | "refused" | "other";

/**
 * A failure of the upstream, a value because routing decides on it. `code` is the provider's own,
 * or one of ours: `answer-malformed`, `answer-truncated`, `http-<status>`.
 */
export type UpstreamFault = {
  readonly code: string;
  /** The upstream's words, shortened. May name its host or quote a key: never for the client. */
  readonly message: string;
  /**
   * Another channel, or this one later, may well succeed. Whether the relay may still try depends
   * on what the client has already received.
   */
  readonly retryable: boolean;
  /** The channel is at fault (its key, its money, its models), not this call or the moment. */
  readonly channelFault: boolean;
  /** The upstream's own wish for a pause, bounded by whoever reads it. Absent: it had none. */
  readonly retryAfterMs?: number;
};
