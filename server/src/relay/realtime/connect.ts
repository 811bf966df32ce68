/** Connects a realtime session to one channel after another, until an upstream accepts it. */

import { HeldBytes } from "#base/memory/byte-budget.ts";
import type { Fields } from "#http/client-request.ts";
import { newCancellation } from "#network/cancellation.ts";
import type { TransportCall } from "#network/transport.ts";
import { openWebSocket } from "#network/web-socket-client.ts";
import { noChannel, upstreamUnreachable } from "#relay/call/refusals.ts";
import { planWithin, wayTo } from "#relay/plan.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { type Attempts, firstOf, type Trip, tryInTurn } from "#relay/routing/choose.ts";
import { scopeOf } from "#relay/faults/fault-scope.ts";
import { pauseOf } from "#relay/faults/fault.ts";
import { keyMarkOf } from "#relay/places/order.ts";
import { drawnKey } from "#relay/routing/issuer.ts";
import { forgetTokens, signRequest } from "#relay/ways/signed-request.ts";
import { headersTo, passedHeaders } from "#relay/ways/sending.ts";
import type { Way } from "#relay/ways/way.ts";
import type { WebSocketEnd, WebSocketListener } from "#websocket/web-socket.ts";
import type { SessionFacts } from "./bill.ts";
import type { RealtimeSession } from "./session.ts";

/** How long a session may last, in milliseconds. OpenAI ends its own after an hour. */
const sessionMsMax = 65 * 60_000;

/** The largest message of either end, in bytes. */
export const messageBytesMax = 16 * 1024 * 1024;

/** The channel and the key of its that alone can continue a session. */
export type Only = { readonly channel: ChannelView; readonly key: string };

export type Connected = {
  /** It is paused: what the upstream sends waits until `hear`. */
  readonly upstream: WebSocketEnd;
  readonly way: Way;
  /** The channel's key that was used. */
  readonly key: string;
  /** Passes what the upstream sends to the session from now on, and what came before. */
  hear(session: RealtimeSession): void;
};

/**
 * Connects to one channel after another until one accepts.
 *
 * @param only null: any channel of the plan.
 * @throws CallRefusal, as a rejection.
 */
export async function connect(
  facts: SessionFacts,
  headers: Fields,
  only: Only | null,
): Promise<Connected> {
  const { plan, state, tried } = facts;
  const trip: SessionTrip = {
    facts,
    only,
    passed: passedHeaders(headers),
    plan: only === null ? plan : (planWithin(plan, ({ id }) => id === only.channel.id) ?? plan),
    bound: null,
    tried,
    retries: only === null && !plan.pinned ? state.deps.snapshot.options.retryTimes : 0,
    clientGone: false,
    stop: null,
  };
  const end = await tryInTurn(state, trip, sessionAttempts, firstOf(state, trip));
  if (end === null) throw noChannel(plan.group, plan.model);
  if (end.kind === "refused") throw upstreamUnreachable();
  return end.connected;
}

type SessionTrip = Trip & {
  readonly facts: SessionFacts;
  readonly only: Only | null;
  /** Headers of the client's request that are passed on; null: none. */
  readonly passed: Readonly<Record<string, string>> | null;
};

type AttemptEnd =
  | { readonly kind: "connected"; readonly connected: Connected }
  | { readonly kind: "refused" };

const refused: AttemptEnd = { kind: "refused" };

const sessionAttempts: Attempts<SessionTrip, AttemptEnd> = {
  once: connectTo,
  judge: (_, { kind }) => (kind === "refused" ? "next" : "done"),
};

async function connectTo(
  state: RelayState,
  { facts, only, passed, tried }: SessionTrip,
  channel: ChannelView,
): Promise<AttemptEnd> {
  const { deps, health } = state;
  const { plan } = facts;
  const { model } = plan;
  tried.push(channel);
  const way = wayTo(plan, channel);
  if (way.target === null) return refused;
  const startedMs = deps.ticker.nowMs();
  const key = only === null ? drawnKey(state, channel, model) : only.key;
  const keyMark = keyMarkOf(channel, key);
  health.started(channel.id, keyMark, model);
  // A session is one call of its key until the upstream has closed it.
  const use = health.uses.started(channel, keyMark, model, 0);
  let isUsed = use !== null;
  const endUse = (): void => {
    if (use !== null && isUsed) health.uses.ended(use, 0);
    isUsed = false;
  };
  const ear = openEar(endUse);
  const request = { target: way.target, headers: headersTo(way, way.target, key, passed) };
  const opened = await open(facts, { request, key, way }, ear.listener);
  const isRetry = tried.length > 1;
  if (opened.kind === "open") {
    const { end } = opened;
    end.pause();
    health.ended(channel.id, { kind: "answered" }, keyMark, model);
    deps.attempts.answered(channel.id, model, isRetry, deps.ticker.nowMs() - startedMs);
    const hear = (session: RealtimeSession): void => {
      ear.hear(session);
      end.resume();
    };
    return { kind: "connected", connected: { upstream: end, way, key, hear } };
  }
  endUse();
  if (opened.kind === "answer") opened.cancel();
  const code = codeOf(opened);
  // A token that was refused before its time is not used again.
  if (code === "status-401") forgetTokens(channel);
  const retryAfterMs = opened.kind === "answer" ? pauseOf(opened, deps.now()) : null;
  const scope = scopeOf(code.replace(/^status-/, "http-"));
  health.ended(channel.id, { kind: "failed", retryAfterMs, scope }, keyMark, model);
  deps.attempts.failed(channel.id, model, isRetry, code);
  deps.log.info({ channelId: channel.id, code }, "a realtime session was not accepted");
  return refused;
}

type Ask = {
  readonly way: Way;
  readonly key: string;
  readonly request: Pick<TransportCall, "headers" | "target">;
};

/** Opens the WebSocket of a session, signed where the provider wants that. */
async function open(
  { credential, state: { deps } }: SessionFacts,
  { request, key, way }: Ask,
  listener: WebSocketListener,
) {
  const { limits, provider } = way.channel;
  const unsigned = { ...request, body: new Uint8Array() };
  const { sign } = provider;
  const signed =
    sign === undefined ? request : await signRequest(deps, way, { key, sign }, unsigned);
  if ("kind" in signed) return signed;
  return await openWebSocket(
    { transport: deps.transport, ticker: deps.ticker },
    {
      target: signed.target,
      headers: signed.headers,
      limits: { ...limits, totalMs: sessionMsMax },
      cancellation: newCancellation(),
      protocols: [],
      messageBytesMax,
      held: new HeldBytes({ budget: deps.budget, owner: credential.user.id }),
    },
    listener,
  );
}

/** Why a session was not accepted, in a word. */
function codeOf(opened: Exclude<Awaited<ReturnType<typeof open>>, { kind: "open" }>): string {
  switch (opened.kind) {
    case "answer":
      return `status-${opened.status}`;
    case "failed":
      return opened.fault.code;
    case "fault":
      return opened.code;
  }
}

/** Keeps what an upstream sends before the session can hear it. */
function openEar(onClosed: () => void) {
  let session: RealtimeSession | null = null;
  const early: ((heard: RealtimeSession) => void)[] = [];
  const tell = (event: (heard: RealtimeSession) => void): void => {
    if (session === null) early.push(event);
    else event(session);
  };
  const listener: WebSocketListener = {
    message: (bytes, isText) => tell((heard) => heard.answered(bytes, isText)),
    drained: () => tell((heard) => heard.upstreamDrained()),
    closed(code, reason) {
      onClosed();
      tell((heard) => heard.upstreamClosed(code, reason));
    },
  };
  return {
    listener,
    hear(opened: RealtimeSession): void {
      for (const event of early.splice(0)) event(opened);
      session = opened;
    },
  };
}
