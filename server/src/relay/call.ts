/** One call while it runs, and what all calls share. */

import type { UnitPrice } from "@tollgate/contract/charge.ts";
import type { Cancellation } from "#network/cancellation.ts";
import type { RelayDeps } from "./deps.ts";
import type { Health } from "./stages/health.ts";
import type { CallBounds } from "./stages/hold-size.ts";
import type { CallFacts } from "./stages/record.ts";
import type { RequestBody } from "#formats/openai-chat/client/read-request.ts";
import type { KeyRotation } from "./stages/route.ts";
import type { Bill } from "./stages/settle.ts";
import type { ChannelView, Tier } from "./snapshot.ts";

export type OpenCall = CallFacts & {
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** The body as it came; empty when there was no room to keep it until the answer is over. */
  bytes: Uint8Array;
  /** Estimate of the prompt's tokens; null: the bytes are there to be counted. */
  promptTokens: number | null;
  readonly body: RequestBody;
  readonly tiers: readonly Tier[];
  /** The client named the channel: no other is tried. */
  readonly pinned: boolean;
  readonly price: UnitPrice;
  readonly bounds: CallBounds;
  readonly bill: Bill;
  /** Headers of the client that go along. */
  readonly passed: Readonly<Record<string, string>> | null;
  readonly tried: ChannelView[];
  firstByteMs: number | null;
  /** Something was sent to an upstream: it may have cost somebody. */
  dispatched: boolean;
  /** Ends the attempt that runs. */
  attempt: Cancellation | null;
  /** Nobody is there to get the answer. */
  clientGone: boolean;
  /** The server is going down and has waited long enough. */
  stopped: boolean;
};

/** What all calls of one relay share. */
export type RelayState = {
  readonly deps: RelayDeps;
  readonly health: Health;
  readonly keys: KeyRotation;
  readonly calls: Set<OpenCall>;
  /** Bytes of bodies kept while their answers stream. */
  keptBytes: number;
  /** Answers read on though their clients left. */
  drains: number;
  /** Calls so far. */
  count: number;
};
