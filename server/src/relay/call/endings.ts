/**
 * The ways a stream can end, and the error event that its client gets in place of the normal end.
 */

import type { Usage } from "#canonical/usage.ts";
import type { ErrorText } from "#formats/format.ts";
import type { Short } from "#ports/hold.ts";
import {
  budgetUsedUp,
  callUsedUp,
  holdUsedUp,
  limitUsedUp,
  stoppedByLoad,
  stoppedForShutdown,
  tokenRevoked,
  tokenUsedUp,
  userRevoked,
} from "./refusals.ts";

export type Ending = {
  /** The status that metrics count the call under. */
  readonly status: number;
  /** The error event for the client. Null: the client gets none. */
  readonly error: ErrorText | null;
  /** The note in the call's log row. */
  readonly note: string;
};

/** An ending caused by the gateway; the client always gets an error with the reason. */
export type Stop = Ending & {
  readonly error: ErrorText;
  /**
   * Of a call that somebody has stopped: whether that is its own user, so that it is billed as if its
   * client had left. Absent: the gateway ends it.
   */
  readonly isOwn?: boolean;
};

/** An error for the client. `status` is what a response that is not streamed would have had. */
export type StreamError = {
  readonly status: number;
  readonly error: ErrorText;
  /** The tokens that are charged all the same; absent: none are. */
  readonly charged?: Usage;
};

export const interruptedText: ErrorText = {
  type: "upstream_error",
  code: "stream_interrupted",
  message: "上游响应中断，输出不完整",
};

export const endings = {
  /** The upstream completed its answer. */
  complete: { status: 200, error: null, note: "" },
  /** The upstream ended its answer too early, or reported an error. */
  broken: { status: 502, error: interruptedText, note: "上游中断" },
  /** There is no memory for the next piece of the upstream's answer. */
  busy: { status: 503, error: stoppedByLoad, note: "服务繁忙，输出中止" },
  /** The client disconnected. */
  disconnected: { status: 499, error: null, note: "客户端断开" },
  /** The server is shutting down. */
  stopped: { status: 503, error: stoppedForShutdown, note: "服务重启，输出中止" },
  /** The user was disabled or deleted. */
  userRevoked: { status: 403, error: userRevoked, note: "用户已被封禁，输出中止" },
  /** The token was disabled, expired or deleted. */
  tokenRevoked: { status: 401, error: tokenRevoked, note: "令牌已失效，输出中止" },
} as const satisfies Record<string, Ending>;

/** How a stream ends whose hold is used up and could not be extended, by what left too little. */
export const cuts: Readonly<Record<Short | "call", Stop>> = {
  budget: { status: 403, error: budgetUsedUp, note: "令牌预算不足，输出中止" },
  /** What one call may cost at most. */
  call: { status: 403, error: callUsedUp, note: "达到单次调用额度上限，输出中止" },
  limit: { status: 429, error: limitUsedUp, note: "达到消费上限，输出中止" },
  token: { status: 403, error: tokenUsedUp, note: "令牌额度不足，输出中止" },
  user: { status: 403, error: holdUsedUp, note: "额度不足，输出中止" },
};
