/** One call while it runs, and what all calls share. */

import type { UnitPrice } from "@tollgate/contract/charge.ts";
import { inputOf, noUsage, outputOf } from "#canonical/usage.ts";
import type { ClientFormat, RequestBody } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { Cancellation } from "#network/cancellation.ts";
import type { RelayDeps } from "./deps.ts";
import { countSuccess } from "./guards/limits.ts";
import type { ChannelView, Tier } from "./snapshot.ts";
import type { Health } from "./stages/health.ts";
import type { CallBounds } from "./stages/hold-size.ts";
import type { Counted } from "./stages/meter/count.ts";
import type { CallFacts } from "./stages/record.ts";
import type { KeyRotation } from "./stages/route.ts";
import type { Bill } from "./stages/settle.ts";

export type OpenCall = CallFacts & {
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /** The client's. */
  readonly formatId: ClientFormatId;
  readonly format: ClientFormat;
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
  /** The client disconnected: nobody is there to get the answer. */
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
  /** Answers read on though their clients disconnected. */
  drains: number;
  /** Calls so far. */
  count: number;
};

/** Every so many calls what is remembered of channels that are gone is dropped. */
const forgetEvery = 1_000;

/** Counts a call among those that run. */
export function startCall(state: RelayState, call: OpenCall): void {
  state.calls.add(call);
  state.deps.metrics.callsOpen(1);
  state.count += 1;
  if (state.count % forgetEvery === 0) forgetChannels(state);
}

function forgetChannels({ deps, health, keys }: RelayState): void {
  const isKnown = (id: number): boolean => deps.snapshot.findChannel(id) !== undefined;
  health.keep(isKnown);
  keys.keep(isKnown);
}

/** How a call ended. `counted` null: nothing was charged. */
export type CallEnd = { readonly status: number; readonly counted: Counted | null };

/** Ends a call that runs. Only the first end counts. */
export function endCall(state: RelayState, call: OpenCall, end: CallEnd): void {
  if (!state.calls.delete(call)) return;
  // Whatever went wrong before: nothing stays held for a call that is over.
  call.bill.release();
  state.deps.metrics.callsOpen(-1);
  countEnd(state, call, end);
  const { requestLimit } = state.deps.snapshot.options;
  if (requestLimit.successes > 0 && end.status < 400) {
    void countSuccess(state.deps, call.credential.user.id, requestLimit);
  }
}

/** Counts a call in the metrics, be it one that was refused before it ran. */
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
