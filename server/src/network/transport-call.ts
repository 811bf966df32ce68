/** What the network is asked for: a request with its limits, and who waits for the answer. */

import type { ByteBudget, Owner } from "#base/memory/byte-budget.ts";
import type { TransportAnswer, TransportFault } from "./answer.ts";
import type { Cancellation } from "./cancellation.ts";
import type { HttpRequest } from "./request.ts";

/** Time limits in milliseconds, each independent of the others. */
export type TimeLimits = {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly betweenChunksMs: number;
  readonly totalMs: number;
};

export type TransportCall = HttpRequest & {
  readonly limits: TimeLimits;
  /** The caller cancels this when it no longer wants the answer. */
  readonly cancellation: Cancellation;
  /**
   * Holds the memory of the answer while it is read whole, and of an unfinished message. Absent: the
   * caller allows so few bytes that they need not be counted.
   */
  readonly budget?: ByteBudget;
  /** Whose memory that is. */
  readonly owner?: Owner;
  /**
   * Whether nothing follows a message of the answer, for upstreams that are asked over a WebSocket:
   * the body is sent as one message, and each that comes is a line of the answer. Absent: the
   * request is one of HTTP.
   */
  readonly isLastMessage?: ((message: Uint8Array) => boolean) | undefined;
};

export type Transport = (call: TransportCall) => Promise<TransportAnswer | TransportFault>;
