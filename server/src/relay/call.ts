/** One call in progress, and the state that all calls share. */

import { noUsage, type UnitPrice } from "@tollgate/contract/charge.ts";
import { chargedTier, type ServedTier } from "@tollgate/contract/service-tiers.ts";
import type { GivenIds } from "#canonical/call-log.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import type { ClientFormat, RequestBody } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { Fields } from "#http/client-request.ts";
import type { Cancellation } from "#network/cancellation.ts";
import type { Ticking } from "#network/ticker.ts";
import { checkDrain, endDrain } from "./answers/client-disconnect.ts";
import type { Stop } from "./answers/endings.ts";
import type { RelayDeps, Transcript } from "./deps.ts";
import { type CallTrace, traceCall } from "./call-trace.ts";
import { type CallsAtOnce, leave } from "./guards/calls-at-once.ts";
import { countSuccess } from "./guards/limits.ts";
import type { Plan, Plans } from "./plan.ts";
import type { RefusedRows } from "./refused-calls.ts";
import type { ConversationMemory } from "./responses-socket/conversations.ts";
import type { ChannelView } from "./snapshot.ts";
import type { Credential } from "./stages/authenticate.ts";
import type { Health } from "./stages/health.ts";
import type { CallBounds } from "./stages/hold-size.ts";
import type { Counted, UsageTrust } from "./stages/meter/count.ts";
import { endPiece, type UnfinishedPiece } from "./stages/meter/unfinished-piece.ts";
import type { Bound } from "./stages/issuer.ts";
import type { CallFacts } from "./stages/record.ts";
import type { Conversation } from "./stages/kept.ts";
import type { KeyRotation } from "./stages/route.ts";
import { type Bill, checkBill, release } from "./stages/settle.ts";
import type { ConvertedCall } from "./stages/convert.ts";
import { endUpload, type Upload } from "./stages/read-upload.ts";
import type { Translated } from "./stages/translation.ts";

export type OpenCall = CallFacts & {
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** The client's wire format: its id and its implementation. */
  readonly formatId: ClientFormatId;
  readonly format: ClientFormat;
  /**
   * The body as received; empty if too many bodies of streaming calls are in memory to keep this
   * one.
   */
  bytes: Uint8Array;
  /**
   * The prompt's token count, started early because `bytes` could not be kept; null: it can be
   * counted from `bytes`.
   */
  promptTokens: Promise<number> | null;
  readonly body: RequestBody;
  readonly plan: Plan;
  /** The price at the time of the day at which the quota was reserved. */
  readonly price: UnitPrice;
  /** The minute of the day of that time, in UTC; undefined: all have the same price. */
  readonly minute: number | undefined;
  /** How many tokens the client's own request may use at most. */
  readonly bounds: CallBounds;
  /**
   * How many tokens the request of the current attempt may use at most. The channel's parameter
   * override may change the client's limits.
   */
  sent: CallBounds;
  readonly bill: Bill;
  /** The headers of the client's request. */
  readonly headers: Fields;
  /** Headers of the client's request that are passed on to the upstream; null: none. */
  readonly passed: Readonly<Record<string, string>> | null;
  /** The files of a request that came as a form; null: it came as JSON. */
  readonly upload: Upload | null;
  readonly tried: ChannelView[];
  /** How the current attempt's request was translated; null: both sides speak one format. */
  translated: Translated | null;
  /** How the current attempt's request was converted, such as one for embeddings; null: it was not. */
  converted: ConvertedCall | null;
  /** Null: the format has no conversations that go on by an id. */
  readonly conversation: Conversation | null;
  /** Which upstream alone can read a part of the request; null: none is known. */
  bound: Bound | null;
  leftOut: readonly string[];
  /** What the answer gave the user to name in later requests; null: nothing new. */
  given: GivenIds | null;
  /** How many texts of the stream were looked at for that. */
  noted: number;
  /** The key of the channel that the current attempt uses. */
  key: string;
  /** The long piece of a stream that is not complete; null: none has been long so far. */
  piece: UnfinishedPiece | null;
  firstByteMs: number | null;
  /** Whether a request was sent to an upstream, which may charge for it. */
  dispatched: boolean;
  /** Cancels the attempt in progress; null: there is none. */
  attempt: Cancellation | null;
  /** Whether the client has disconnected. */
  clientGone: boolean;
  /** Called once when the client disconnects; null: nobody needs to know. */
  onDisconnect: (() => void) | null;
  /** Whether the answer is read on although the client has disconnected. */
  isDraining: boolean;
  /** When that ends. Monotonic milliseconds; Infinity: never. */
  drainDueMs: number;
  /** Why the gateway itself ends the call early; null: it does not. */
  stop: Stop | null;
  /** Gathers the call's texts; null: they are not stored. */
  readonly transcript: Transcript | null;
  /** Null: the call is not traced. */
  readonly trace: CallTrace | null;
};

/** Returns how far the channel's token counts are believed for this call. */
export function usageTrust({ sent }: OpenCall, channel: ChannelView): UsageTrust {
  return { outputMax: sent.output, onlyVisible: channel.usageTrust === "visible" };
}

/** What an answer tells beside its usage; undefined: there was none. */
type ToldBeside = { readonly tier: ServedTier; readonly searches: number } | undefined;

/**
 * Returns the counts with all else that the price of the call depends on: the service tier and the
 * searches, as the answer tells them, and the time of the day.
 */
export function chargedAs(
  { minute, sent }: Pick<OpenCall, "minute" | "sent">,
  told: ToldBeside,
  counted: Counted,
): Counted {
  const tier = chargedTier(sent.tier, told?.tier ?? "");
  const searches = Math.max(told?.searches ?? 0, counted.usage.searches ?? 0);
  if (tier === undefined && searches === 0 && minute === undefined) return counted;
  const usage = {
    ...counted.usage,
    ...(tier === undefined ? {} : { tier }),
    ...(searches === 0 ? {} : { searches }),
    ...(minute === undefined ? {} : { minute }),
  };
  return { ...counted, usage };
}

/** An open WebSocket of a client. */
export type OpenSession = {
  readonly credential: Credential;
  /** Ends it by the gateway's decision. */
  stop(stop: Stop): void;
};

/** The state that all calls of one relay share. */
export type RelayState = {
  readonly deps: RelayDeps;
  readonly health: Health;
  readonly keys: KeyRotation;
  readonly plans: Plans;
  readonly calls: Set<OpenCall>;
  /** The WebSockets of clients that are open. */
  readonly sessions: Set<OpenSession>;
  /** What those for responses keep of their conversations. */
  readonly conversations: ConversationMemory;
  readonly atOnce: CallsAtOnce;
  readonly refusedRows: RefusedRows;
  /** Checks the time limits of all calls. */
  readonly ticking: Ticking;
  /** Bytes of all request bodies that are kept in memory while answers stream. */
  keptBytes: number;
  /** Number of answers that are read on although their clients have disconnected. */
  drains: number;
  /** Number of calls so far, running and ended. */
  count: number;
  /**
   * How often users or tokens have changed so far. A call compares this with the number at its
   * start to notice a change.
   */
  callerChanges: number;
  /** Whether the process is stopping and takes no new calls. */
  isStopping: boolean;
};

/** State kept for deleted channels is dropped once in this many calls. */
const forgetEvery = 1_000;

/** Registers a call as running. */
export function startCall(state: RelayState, call: OpenCall): void {
  state.calls.add(call);
  state.deps.ticker.add(state.ticking);
  state.deps.metrics.callsOpen(1);
  state.count += 1;
  if (state.count % forgetEvery === 0) forgetChannels(state);
}

/** Checks the time limits of the running calls: one entry of the timer for all of them. */
export function checkCalls(state: RelayState, nowMs: number): void {
  if (state.calls.size === 0) state.deps.ticker.remove(state.ticking);
  for (const call of state.calls) {
    checkDrain(call, nowMs);
    checkBill(state.deps.log, call, nowMs);
  }
}

function forgetChannels({ deps, health, keys }: RelayState): void {
  const isKnown = (id: number): boolean => deps.snapshot.findChannel(id) !== undefined;
  health.keep(isKnown);
  keys.keep(isKnown);
}

/** How a call ended. `counted` null: it was not charged. */
export type CallEnd = { readonly status: number; readonly counted: Counted | null };

/**
 * Ends a call that `startCall` registered, and counts it in the metrics. If it has ended before,
 * nothing happens.
 */
export function endCall(state: RelayState, call: OpenCall, end: CallEnd): void {
  if (!state.calls.delete(call)) return;
  endDrain(state, call);
  leave(state.atOnce, call.credential);
  endUpload(call.upload);
  if (call.piece !== null) endPiece(call.piece);
  // After a call no quota may stay held, even if an error ended it.
  release(call.bill);
  state.deps.metrics.callsOpen(-1);
  countEnd(state, call, end);
  if (call.transcript !== null) endTranscript(call, call.transcript);
  if (call.trace !== null) traceCall(state, call, end);
  const { requestLimit } = state.deps.snapshot.options;
  if (requestLimit.successes > 0 && end.status < 400) {
    void countSuccess(state.deps, call.credential.user.id, requestLimit);
  }
}

function endTranscript(call: OpenCall, transcript: Transcript): void {
  const { requestId, credential, formatId, isStream, bytes } = call;
  transcript.end({ requestId, userId: credential.user.id, formatId, isStream, request: bytes });
}

/** Counts a call in the metrics, including calls refused before they ran. */
export function countEnd(
  { deps }: RelayState,
  call: Pick<OpenCall, "firstByteMs" | "isStream" | "startedMs">,
  { status, counted }: CallEnd,
): void {
  const usage = counted?.usage ?? noUsage;
  deps.metrics.callEnded({
    status,
    stream: call.isStream,
    durationMs: deps.ticker.nowMs() - call.startedMs,
    firstByteMs: call.firstByteMs,
    inputTokens: inputOf(usage),
    outputTokens: outputOf(usage),
  });
}
