/**
 * What a failed attempt means: whether another channel may be tried, what the channel's health
 * is told, and what the client is shown when nothing else is left to try.
 */

import type { ErrorBody, ErrorText } from "#formats/format.ts";
import type { UpstreamFault } from "#canonical/event.ts";
import { ownErrorType } from "#relay/answers/call-refusal.ts";
import { coolDownMsMax } from "./health.ts";
import { scrubMessage, scrubWord } from "./scrub.ts";
import type { ChannelView, RelayOptions } from "#relay/snapshot.ts";
import type { TransportFault } from "#network/transport.ts";

/** A failed attempt, judged. */
export type AttemptFault = {
  /** For logs and metrics, from a bounded set: a transport code, or `http-<status>`. */
  readonly code: string;
  /** For the program's log, scrubbed. */
  readonly detail: string;
  /** Another channel may do better. */
  readonly retryable: boolean;
  /** The channel failed, as opposed to having told the client what was wrong with the call. */
  readonly countsAgainstChannel: boolean;
  /** Pause the upstream asked for, bounded; null: none. */
  readonly retryAfterMs: number | null;
  /** Why the channel has to be disabled; null: it has not. */
  readonly disableReason: string | null;
  readonly status: number;
  readonly shown: ErrorText;
};

const upstreamErrorType = "upstream_error";

const unreachable: ErrorText = {
  type: ownErrorType,
  code: "do_request_failed",
  message: "请求上游地址失败",
};

const channelBroken: ErrorText = {
  type: upstreamErrorType,
  code: "upstream_unavailable",
  message: "上游渠道暂不可用，请稍后再试",
};

const badAnswer: ErrorText = {
  type: upstreamErrorType,
  code: "bad_response",
  message: "上游返回了无法识别的响应",
};

const overloaded: ErrorText = {
  type: upstreamErrorType,
  code: "rate_limit_exceeded",
  message: "当前分组上游负载已饱和，请稍后再试",
};

/** The connection failed, took too long, or brought what is no answer. */
export function judgeTransportFault({ code, status }: TransportFault): AttemptFault {
  return {
    code,
    detail: code,
    // Nobody waits any more.
    retryable: code !== "aborted",
    countsAgainstChannel: code !== "aborted",
    retryAfterMs: null,
    disableReason: null,
    status,
    shown: code.startsWith("answer-") ? badAnswer : unreachable,
  };
}

/** The answer had a good status and was none: a page, nothing, an error in place of content. */
export function judgeBadAnswer(
  reason: string,
  channel: ChannelView,
  error: ErrorBody | undefined,
  options: RelayOptions,
): AttemptFault {
  const fault: UpstreamFault = {
    code: error?.code ?? "",
    message: error?.message ?? "",
    retryable: true,
    channelFault: true,
  };
  return {
    code: reason,
    detail: `${reason} ${scrubMessage(fault.message, channel)}`.trim(),
    retryable: true,
    countsAgainstChannel: true,
    retryAfterMs: null,
    disableReason: disableReason(channel, options, 200, fault, error?.type ?? ""),
    status: 502,
    shown: badAnswer,
  };
}

export type BadStatus = {
  readonly channel: ChannelView;
  readonly options: RelayOptions;
  /** The upstream's own. */
  readonly status: number;
  /** The provider's reading of the body. */
  readonly fault: UpstreamFault;
  /** The error as the format spells it; undefined: none was recognised. */
  readonly error: ErrorBody | undefined;
  readonly retryAfter: string | null;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The channel's own table decides what a status counts as, here and for the client. */
export function mapStatus(channel: ChannelView, status: number): number {
  return channel.statusCodeMapping.get(status) ?? status;
}

/** The upstream answered with another status than a good one. */
export function judgeBadStatus(bad: BadStatus): AttemptFault {
  const { channel, options, fault, error } = bad;
  const status = mapStatus(channel, bad.status);
  const isChannels = fault.channelFault || status === 401 || status === 403 || status < 400;
  const isBusy = status === 408 || status === 429 || status >= 500;
  const asked = readRetryAfter(bad.retryAfter, bad.nowMs) ?? fault.retryAfterMs ?? null;
  return {
    code: `http-${bad.status}`,
    detail: `${fault.code} ${scrubMessage(fault.message, channel)}`.trim(),
    retryable: isBusy || isChannels || fault.retryable,
    countsAgainstChannel: isBusy || isChannels,
    retryAfterMs: asked === null || !isBusy ? null : Math.min(asked, coolDownMsMax),
    disableReason: disableReason(channel, options, status, fault, error?.type ?? ""),
    ...show(status, isChannels, channel, error),
  };
}

function show(
  status: number,
  isChannels: boolean,
  channel: ChannelView,
  error: ErrorBody | undefined,
): { readonly status: number; readonly shown: ErrorText } {
  if (status === 429) return { status, shown: overloaded };
  // A model the upstream does not have is the caller's news too: it may ask for another one.
  if (isChannels && status !== 404) return { status: 503, shown: channelBroken };
  const known = status >= 400 && status <= 599 ? status : 502;
  const plain = {
    type: upstreamErrorType,
    code: "bad_response_status_code",
    message: `bad response status code ${status}`,
  };
  // What a server says of its own failure helps no client and tells about the server.
  if (known >= 500 || error === undefined) return { status: known, shown: plain };
  return {
    status: known,
    shown: {
      type: scrubWord(error.type, channel) || plain.type,
      code: scrubWord(error.code, channel) || plain.code,
      message: scrubMessage(error.message, channel) || plain.message,
    },
  };
}

const disablingWords: ReadonlySet<string> = new Set([
  "account_deactivated",
  "authentication_error",
  "billing_not_active",
  "forbidden",
  "insufficient_quota",
  "insufficient_user_quota",
  "invalid_api_key",
  "permission_error",
]);

/** The family's rules: a refused key, an account without money, an operator's own keywords. */
function disableReason(
  channel: ChannelView,
  options: RelayOptions,
  status: number,
  fault: UpstreamFault,
  type: string,
): string | null {
  if (!options.automaticDisable || !channel.autoBan) return null;
  const message = fault.message.toLowerCase();
  const applies =
    status === 401 ||
    disablingWords.has(fault.code) ||
    disablingWords.has(type) ||
    options.automaticDisableKeywords.some((word) => word !== "" && message.includes(word));
  if (!applies) return null;
  const words = scrubMessage(fault.message, channel).slice(0, 200);
  return `status code ${status}${fault.code === "" ? "" : `, ${scrubWord(fault.code, channel)}`}${words === "" ? "" : `: ${words}`}`;
}

/** Seconds or an HTTP date; null for what is neither. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return Number(text) * 1_000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
