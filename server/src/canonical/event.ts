import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type {
  Citation,
  MediaPart,
  MessageItem,
  Opaque,
  ReasoningItem,
  ToolCallItem,
} from "./request.ts";
import type { ReadUsage, Usage } from "./usage.ts";

/**
 * One step of an answer. Streaming and non-streaming answers decode to the same sequence: one
 * `start`; then items, each `item-start`, its pieces and `item-end`; then `usage` and `finish`. An
 * item ends before the next one starts. A `fault` may replace the rest at any point. `slot` numbers
 * the items from 0.
 */
export type CanonicalEvent =
  /** `namedTier`: the service tier, if the upstream names it already. */
  | {
      readonly type: "start";
      readonly responseId: string;
      readonly model: string;
      readonly namedTier?: ServedTier;
    }
  | { readonly type: "item-start"; readonly slot: number; readonly item: ItemHead }
  | { readonly type: "text"; readonly slot: number; readonly text: string }
  | { readonly type: "refusal"; readonly slot: number; readonly text: string }
  | { readonly type: "reasoning"; readonly slot: number; readonly text: string }
  /** The next piece of a tool call's arguments; the pieces together are `argsText`. */
  | { readonly type: "arguments"; readonly slot: number; readonly text: string }
  /**
   * Output that is paid for, and that the client does not get as a piece: it stands behind a stop
   * sequence, or was written for a tool that the provider ran.
   */
  | { readonly type: "unsent"; readonly text: string }
  | { readonly type: "citation"; readonly slot: number; readonly citation: Citation }
  | { readonly type: "media"; readonly slot: number; readonly part: MediaPart }
  | { readonly type: "logprobs"; readonly slot: number; readonly tokens: readonly TokenLogprob[] }
  /**
   * Ends an item and carries all of it, so that a writer whose last event repeats the item keeps no
   * state of its own.
   */
  | { readonly type: "item-end"; readonly slot: number; readonly item: OutputItem }
  /**
   * The upstream's usage report, once, before the end; null: it reported none that is believed.
   * `tier`: the service tier that it named, as far as the charge depends on it. `namedTier`: the
   * same for clients; absent: it is `tier`. `searches`: the web searches that it told beside its
   * usage; absent: none.
   */
  | {
      readonly type: "usage";
      readonly usage: Usage | null;
      readonly report: ReadUsage;
      readonly tier: ServedTier;
      readonly namedTier?: ServedTier;
      readonly searches?: number;
    }
  | { readonly type: "finish"; readonly finish: Finish }
  | { readonly type: "fault"; readonly fault: UpstreamFault };

/** An item that a model can produce. */
export type OutputItem = MessageItem | ReasoningItem | ToolCallItem;

/** What is known of an item before its content arrives. */
export type ItemHead =
  | { readonly type: "message" | "reasoning" }
  | {
      readonly type: "tool-call";
      readonly callId: string;
      readonly name: string;
      readonly form: "json" | "text";
      /** A signature that must go back with the call, if it is known when the call begins. */
      readonly opaque: Opaque | null;
    };

/** The probability of a token, and of the tokens that were likely at its place. */
export type TokenLogprob = {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
  readonly top: readonly Omit<TokenLogprob, "top">[];
};

/** Why the model stopped; `raw` is the reason as the upstream named it. */
export type Finish = {
  readonly reason: EndReason;
  readonly raw: string;
  /** The stop sequence that ended the answer. Empty: none, or the provider does not say. */
  readonly stopSequence: string;
};

/**
 * Why the model stopped. `paused`: the provider interrupts a turn of hosted tools, and the client
 * sends it again to continue. `other` keeps the pipeline working when a provider adds a reason.
 */
export type EndReason =
  | "complete"
  | "context-full"
  | "length"
  | "other"
  | "paused"
  | "refused"
  | "stop-sequence"
  | "tool-call";

/**
 * What a failure means. `key`: the key is wrong or was closed. `money`: the account has none left.
 * `forbidden`: the account may not do this. `model`: there is no such model. `rate`: too many calls
 * in a time. `context`: the prompt is too long. `refused`: the content is not allowed. `overloaded`:
 * the upstream cannot answer now. `request`: the call is wrong in another way.
 */
export type FaultMeaning =
  | "context"
  | "forbidden"
  | "key"
  | "model"
  | "money"
  | "other"
  | "overloaded"
  | "rate"
  | "refused"
  | "request";

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
  /** What it means, whatever the vendor calls it; absent: nobody has judged it. */
  readonly meaning?: FaultMeaning;
  /** The pause that the upstream asked for, whatever its length; absent: none. */
  readonly retryAfterMs?: number;
};
