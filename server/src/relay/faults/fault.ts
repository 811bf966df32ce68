/**
 * Judges a failed attempt: whether another channel may be tried, whether it counts against the
 * channel, and what error the client gets if nothing is left to try.
 */

import type { BodyRefusal, ErrorBody, ErrorText } from "#formats/format.ts";
import type { UpstreamFault } from "#canonical/event.ts";
import { type CallRefusal, ownErrorType } from "#relay/call/call-refusal.ts";
import { cooldownMsMax } from "#relay/routing/circuit.ts";
import { type FaultWords, sayBadAnswer, sayTransportFault, sayUnsigned } from "./fault-words.ts";
import { cleaners } from "#relay/cleaners.ts";
import type { ChannelView, RelayOptions } from "#ports/snapshot.ts";
import type { TransportFault } from "#network/answer.ts";
import { meaningOf } from "#providers/fault-meaning.ts";
import type { SigningFault } from "#providers/signing.ts";

/** The verdict on a failed attempt. */
export type AttemptFault = {
  /**
   * A short code for logs and metrics, out of a small set: a transport code, or `http-<status>`.
   */
  readonly code: string;
  /** A description for the program's log, without secrets. */
  readonly detail: string;
  /** Whether another channel may be tried. */
  readonly retryable: boolean;
  /** Whether the channel failed. False: it answered that the call itself was wrong. */
  readonly countsAgainstChannel: boolean;
  /** The pause that the upstream requested, at most `cooldownMsMax`; null: none. */
  readonly retryAfterMs: number | null;
  /** Why the channel is to be disabled; null: there is no reason to. */
  readonly disableReason: string | null;
  /**
   * Why the channel may have to be disabled: the upstream's message contains one of the
   * administrator's keywords. A test of the channel decides, because a client can make the upstream
   * quote such a word.
   */
  readonly suspicion: string | null;
  readonly status: number;
  readonly shown: ErrorText;
  /** Says for administrators what went wrong. */
  readonly words: () => FaultWords;
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

const gatewayBusy: ErrorText = {
  type: ownErrorType,
  code: "server_overloaded",
  message: "服务繁忙，请稍后再试",
};

/** Judges an attempt whose connection failed or timed out, or whose answer was not valid HTTP. */
export function judgeTransportFault({ code, status }: TransportFault): AttemptFault {
  // `aborted`: the gateway cancelled the attempt, mostly because the client disconnected.
  const isOurs = code === "aborted" || isGateways(code);
  return {
    code,
    detail: code,
    retryable: !isOurs,
    countsAgainstChannel: !isOurs,
    retryAfterMs: null,
    disableReason: null,
    suspicion: null,
    status: isGateways(code) ? 503 : status,
    shown: shownOf(code),
    words: () => sayTransportFault(code),
  };
}

/** Whether the gateway itself has not got what the attempt needs. */
export function isGateways(code: string): boolean {
  return code === "gateway-busy" || code === "gateway-files";
}

function shownOf(code: TransportFault["code"]): ErrorText {
  if (isGateways(code)) return gatewayBusy;
  return code.startsWith("answer-") ? badAnswer : unreachable;
}

/**
 * Makes the fault of a channel whose parameter override makes an invalid request, the cost of which
 * is unknown.
 */
export function judgeOverride(message: string): AttemptFault {
  return {
    code: "override-invalid",
    detail: `parameter override: ${message}`,
    retryable: true,
    countsAgainstChannel: true,
    retryAfterMs: null,
    disableReason: null,
    suspicion: null,
    status: 503,
    shown: channelBroken,
    words: () => ({ message: `参数覆盖无效：${message}`, field: null }),
  };
}

/** Makes the fault of a request that cannot be written in the format of the channel's upstream. */
export function judgeUntranslatable({ code, param, message }: BodyRefusal): AttemptFault {
  return {
    code: notCovered,
    detail: `${code} ${param}`,
    // A channel that speaks the client's format can answer it.
    retryable: true,
    countsAgainstChannel: false,
    retryAfterMs: null,
    disableReason: null,
    suspicion: null,
    status: 400,
    shown: { type: "invalid_request_error", code, message, param },
    words: () => ({ message, field: null }),
  };
}

/** Makes the fault of a request that could not be signed with the channel's key. */
export function judgeUnsigned(fault: SigningFault, channel: ChannelView): AttemptFault {
  const words = sayUnsigned(fault, channel);
  return {
    code: fault.reason,
    detail:
      `${fault.reason} ${fault.reason === "key-malformed" ? "" : cleaners.scrubMessage(fault.message, channel)}`.trim(),
    retryable: true,
    countsAgainstChannel: true,
    retryAfterMs: null,
    // A server of tokens that refuses a key says so as certainly as an upstream with status 401.
    disableReason: fault.reason === "token-refused" && channel.autoBan ? words.message : null,
    suspicion: null,
    status: 503,
    shown: channelBroken,
    words: () => words,
  };
}

const notCovered = "override-not-covered";

/**
 * Makes the fault of a channel whose parameter override makes a request that the user's quota does
 * not cover. A channel without the override may be cheaper.
 */
export function judgeNotCovered({ status, code, message }: CallRefusal): AttemptFault {
  return {
    code: notCovered,
    detail: code,
    retryable: true,
    countsAgainstChannel: false,
    retryAfterMs: null,
    disableReason: null,
    suspicion: null,
    status,
    shown: { type: ownErrorType, code, message },
    words: () => ({ message, field: null }),
  };
}

/** The fault of an attempt that was cancelled before its request was sent. */
export const cancelledUnsent: AttemptFault = {
  code: "cancelled",
  detail: "cancelled",
  retryable: false,
  countsAgainstChannel: false,
  retryAfterMs: null,
  disableReason: null,
  suspicion: null,
  status: 502,
  shown: unreachable,
  words: () => sayTransportFault("aborted"),
};

/** Whether a fault with this code says nothing about the channel, because no request was sent. */
export function isUnsent(code: string): boolean {
  return code === notCovered || code === cancelledUnsent.code;
}

/**
 * Judges an answer with a 2xx status whose body is not an answer of the format, but an HTML page,
 * empty, or an error.
 */
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
  const isCalls = error !== undefined && blamesCall(error);
  const asked = error === undefined || !saysBusy(error) ? undefined : error.retryAfterMs;
  return {
    code: reason,
    detail: `${reason} ${cleaners.scrubMessage(fault.message, channel)}`.trim(),
    retryable: !isCalls,
    countsAgainstChannel: !isCalls,
    retryAfterMs: asked === undefined ? null : Math.min(asked, cooldownMsMax),
    ...blame(channel, options, 200, fault, error?.type ?? ""),
    ...(isCalls
      ? { status: 400, shown: tell(error, channel, plainError(400)) }
      : showBadAnswer(error)),
    words: () => sayBadAnswer(error, channel),
  };
}

/** Chooses what the client reads of a fault inside a 200 that is not its own. */
function showBadAnswer(error: ErrorBody | undefined): {
  readonly status: number;
  readonly shown: ErrorText;
} {
  const isLimit = error !== undefined && meaningOf(200, error).meaning === "rate";
  return isLimit ? { status: 429, shown: overloaded } : { status: 502, shown: badAnswer };
}

/**
 * Whether an error's code says that this call's content, length or form is refused: as where a
 * status of 400 says so, another channel is not tried and this one is not to blame.
 */
function blamesCall(error: ErrorBody): boolean {
  const { isProven, meaning } = meaningOf(200, error);
  return isProven && (meaning === "refused" || meaning === "context" || meaning === "request");
}

/**
 * Whether an error's code says that the channel has too much to do, so that it is left alone for as
 * long as it asks. A message alone does not: it may quote the request.
 */
function saysBusy(error: ErrorBody): boolean {
  const { meaning } = meaningOf(200, error);
  return meaning === "rate" || meaning === "overloaded";
}

type BadStatus = {
  readonly channel: ChannelView;
  readonly options: RelayOptions;
  /** The status that the upstream sent. */
  readonly status: number;
  /** What the provider's code read from the error body. */
  readonly fault: UpstreamFault;
  /** What the format's code read from the error body; undefined: no error was recognised. */
  readonly error: ErrorBody | undefined;
  readonly retryAfter: string | null;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** Whether an administrator called this channel by its number. */
  readonly isPinned: boolean;
};

/**
 * Translates an upstream's status by the channel's status mapping. Both the verdict and the
 * client's answer use the result.
 */
export function mapStatus(channel: ChannelView, status: number): number {
  return channel.statusCodeMapping.get(status) ?? status;
}

/** Judges an answer with a status other than 2xx. */
export function judgeBadStatus(bad: BadStatus): AttemptFault {
  const { channel, options, fault, error } = bad;
  const status = mapStatus(channel, bad.status);
  const isChannels = fault.channelFault || status === 401 || status === 403 || status < 400;
  // What the provider refuses for its content is refused again, whatever the status.
  const isCalls = fault.meaning === "refused" || fault.meaning === "context";
  const isBusy = !isCalls && (status === 408 || status === 429 || status >= 500);
  // Under a 400 an empty account and an unknown model are told to the client, as other refusals of
  // the call are: clients would repeat it after a status from 500 on.
  const isTold = status === 400 && (fault.meaning === "money" || fault.meaning === "model");
  const isHidden = isChannels && !isTold;
  const asked = readRetryAfter(bad.retryAfter, bad.nowMs) ?? fault.retryAfterMs ?? null;
  return {
    code: `http-${bad.status}`,
    detail: `${fault.code} ${cleaners.scrubMessage(fault.message, channel)}`.trim(),
    retryable: isBusy || isChannels || fault.retryable,
    countsAgainstChannel: isBusy || isChannels,
    retryAfterMs: asked === null || !isBusy ? null : Math.min(asked, cooldownMsMax),
    ...blame(channel, options, status, fault, error?.type ?? ""),
    ...show(status, isHidden, bad),
    words: () => cleaners.sayBadStatus(status, fault, channel),
  };
}

/**
 * Chooses what the client reads. An administrator who calls one channel by its number looks for its
 * trouble, and so reads the upstream's words about key, balance and load too, without secrets.
 */
function show(
  status: number,
  isChannels: boolean,
  { channel, error, isPinned }: BadStatus,
): { readonly status: number; readonly shown: ErrorText } {
  const known = status >= 400 && status <= 599 ? status : 502;
  const plain = plainError(status);
  const told = (given: ErrorText): ErrorText =>
    error === undefined ? given : tell(error, channel, given);
  const hidden = (given: ErrorText): ErrorText => (isPinned ? told(given) : given);
  if (status === 429) return { status, shown: hidden(overloaded) };
  // A 404 for an unknown model is shown to the client, which can request another model.
  if (isChannels && status !== 404) return { status: 503, shown: hidden(channelBroken) };
  // An upstream's description of its own failure does not help the client and would give away
  // details of the upstream.
  return { status: known, shown: known >= 500 ? hidden(plain) : told(plain) };
}

function plainError(status: number): ErrorText {
  return {
    type: upstreamErrorType,
    code: "bad_response_status_code",
    message: `bad response status code ${status}`,
  };
}

/** Tells the upstream's error without secrets; what it does not say is as given. */
function tell(error: ErrorBody, channel: ChannelView, given: ErrorText): ErrorText {
  return {
    type: cleaners.scrubWord(error.type, channel) || given.type,
    code: cleaners.scrubWord(error.code, channel) || given.code,
    message: cleaners.scrubMessage(error.message, channel) || given.message,
  };
}

/** Codes and types that say that the account may not call at all. */
const barred: ReadonlySet<string> = new Set(["forbidden", "permission_error"]);

const blameless = { disableReason: null, suspicion: null };

/**
 * Decides whether a fault disables the channel. A refused key or an account without money does, as
 * in one-api compatible gateways; one of the administrator's keywords only makes the channel
 * suspect.
 */
function blame(
  channel: ChannelView,
  options: RelayOptions,
  status: number,
  fault: UpstreamFault,
  type: string,
): Pick<AttemptFault, "disableReason" | "suspicion"> {
  if (!options.automaticDisable || !channel.autoBan) return blameless;
  const message = fault.message.toLowerCase();
  const error = { code: fault.code, type, message: fault.message };
  const { meaning, isProven: isSaid } = meaningOf(status, error);
  const isBad = meaning === "key" || meaning === "money";
  const isProven = (isBad && isSaid) || barred.has(fault.code) || barred.has(type);
  const isSuspect =
    isBad || options.automaticDisableKeywords.some((word) => word !== "" && message.includes(word));
  if (!isProven && !isSuspect) return blameless;
  const { message: reason } =
    status === 200 ? sayBadAnswer(fault, channel) : cleaners.sayBadStatus(status, fault, channel);
  return isProven
    ? { disableReason: reason, suspicion: null }
    : { disableReason: null, suspicion: reason };
}

/** What an upstream has answered, as far as it may ask for a pause. */
type Pausing = { readonly status: number; readonly retryAfter: string | null };

/** Returns the pause that an upstream asks for which has too much to do; null: none. */
export function pauseOf({ retryAfter, status }: Pausing, nowMs: number): number | null {
  if (status !== 408 && status !== 429 && status < 500) return null;
  const asked = readRetryAfter(retryAfter, nowMs);
  return asked === null ? null : Math.min(asked, cooldownMsMax);
}

/**
 * Reads a `retry-after` header, which has seconds or an HTTP date. Returns milliseconds; null for
 * anything else.
 */
function readRetryAfter(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return Number(text) * 1_000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
