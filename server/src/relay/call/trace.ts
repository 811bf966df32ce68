/**
 * Traces a call. While traces are off, or the call is not among those that are traced, nothing is
 * made for it.
 */

import type { CallEnd, CallTrace } from "./facts.ts";
import { charge } from "@tollgate/contract/money/charge.ts";
import type { TracedCall } from "#canonical/call-trace.ts";
import type { ClientRequest } from "#http/client-request.ts";
import type { OpenCall } from "./attempt-state.ts";
import type { RelayState } from "./relay-state.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Ingress } from "#relay/ingress.ts";
import type { ChannelView } from "#ports/snapshot.ts";

/** Decides whether a call is traced. Null: it is not. */
export function openTrace({ traces }: Pick<RelayDeps, "traces">): CallTrace | null {
  return traces !== null && traces.takes() ? { attempts: [] } : null;
}

/**
 * Notes an attempt that has begun to answer, or has failed.
 *
 * @param fault code of the fault; empty: it has begun to answer.
 */
export function traceAttempt(
  { deps }: RelayState,
  call: Pick<OpenCall, "isStream" | "model" | "trace">,
  channel: ChannelView,
  { startedMs, fault }: { readonly startedMs: number; readonly fault: string },
): void {
  if (call.trace === null) return;
  const nowMs = deps.ticker.nowMs();
  call.trace.attempts.push({
    channelId: channel.id,
    provider: channel.provider.traceName ?? channel.provider.id,
    model: channel.modelMapping.get(call.model) ?? call.model,
    startedAt: deps.now() - (nowMs - startedMs),
    endedMs: fault === "" && call.isStream ? null : nowMs,
    fault,
  });
}

/** Notes that the stream of the last attempt broke off. */
export function traceBroken(call: Pick<OpenCall, "trace">): void {
  const attempt = call.trace?.attempts.at(-1);
  if (attempt !== undefined) attempt.fault = "answer-truncated";
}

/** Hands an ended call over to the traces. */
export function traceCall({ deps }: RelayState, call: OpenCall, end: CallEnd): void {
  const { traces } = deps;
  if (call.trace === null || traces === null) return;
  const { group, model, credential, headers, isStream, requestId } = call;
  const endedAt = deps.now();
  const nowMs = deps.ticker.nowMs();
  const attempts = call.trace.attempts.map(({ endedMs, ...attempt }) => ({
    ...attempt,
    endedAt: endedMs === null ? endedAt : endedAt - (nowMs - endedMs),
  }));
  traces.ended({
    requestId,
    parent: parentOf(headers),
    modality: call.body.modality,
    isStream,
    startedAt: endedAt - (nowMs - call.startedMs),
    endedAt,
    firstByteMs: call.firstByteMs,
    status: end.status,
    fault: end.status < 400 ? "" : attempts.at(-1)?.fault || String(end.status),
    admitted: {
      model,
      group,
      userId: credential.user.id,
      tokenId: credential.token.id,
      attempts,
      charged: chargedOf(call, end),
    },
  });
}

function chargedOf(
  call: OpenCall,
  { counted }: CallEnd,
): NonNullable<TracedCall["admitted"]>["charged"] {
  if (counted === null) return null;
  const quota = charge(call.price, counted.usage);
  return { usage: counted.usage, quota, dollars: quota / call.plan.dollar };
}

type Refused = {
  readonly requestId: string;
  readonly ingress: Ingress;
  readonly startedMs: number;
  readonly refusal: { readonly status: number; readonly code: string };
};

/** Hands over a call that was refused before it ran. */
export function traceRefusal(
  deps: Pick<RelayDeps, "now" | "ticker" | "traces">,
  { headers }: Pick<ClientRequest, "headers">,
  { requestId, ingress, startedMs, refusal: { status, code } }: Refused,
): void {
  const { traces } = deps;
  if (traces === null || ingress.kind !== "call" || !traces.takes()) return;
  const endedAt = deps.now();
  traces.ended({
    requestId,
    parent: parentOf(headers),
    modality: ingress.modality,
    isStream: ingress.stream ?? false,
    startedAt: endedAt - (deps.ticker.nowMs() - startedMs),
    endedAt,
    firstByteMs: null,
    status,
    fault: code || String(status),
    admitted: null,
  });
}

/** The longest `traceparent` that is read, in characters; version 00 of the format has 55. */
const parentMax = 128;

function parentOf(headers: ClientRequest["headers"]): string {
  return (headers.get("traceparent") ?? "").slice(0, parentMax);
}
