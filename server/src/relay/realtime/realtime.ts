/** Opens a realtime session: judges the client, connects to an upstream, then accepts the client. */

import type { ClientRequest, Fields } from "#http/client-request.ts";
import { readTarget } from "#http/target.ts";
import { newCancellation } from "#network/cancellation.ts";
import { openWebSocket } from "#network/web-socket-client.ts";
import { CallRefusal } from "#relay/answers/call-refusal.ts";
import { noChannel, upstreamUnreachable } from "#relay/answers/refusals.ts";
import type { RelayState } from "#relay/call.ts";
import { wayTo } from "#relay/plan.ts";
import { planCall } from "#relay/stages/admit.ts";
import type { Credential } from "#relay/stages/authenticate.ts";
import { chooseChannel } from "#relay/stages/route.ts";
import { headersTo, passedHeaders, type Way } from "#relay/stages/translate.ts";
import type { ChannelView } from "#relay/snapshot.ts";
import type { WebSocketEnd } from "#websocket/web-socket.ts";
import { enter, leave } from "#relay/guards/calls-at-once.ts";
import { limitCaller } from "#relay/guards/limits.ts";
import { holdResponse, type SessionFacts } from "./bill.ts";
import { keyOffered } from "./messages.ts";
import { RealtimeSession } from "./session.ts";

/** How long a session may last, in milliseconds. OpenAI ends its own after an hour. */
const sessionMsMax = 65 * 60_000;

/** The largest message of either end, in bytes. */
const messageBytesMax = 16 * 1024 * 1024;

const formatId = "openai-realtime";

/** Finds the key in the subprotocols, where browsers have to put it. */
export function withOfferedKey({ headers, url }: ClientRequest): {
  readonly headers: Fields;
  readonly url: string;
} {
  const key = keyOffered(headers.get("sec-websocket-protocol"));
  if (key === null) return { headers, url };
  const get = (name: string) =>
    name === "x-api-key" ? (headers.get(name) ?? key) : headers.get(name);
  return { headers: { get }, url };
}

type Opening = { readonly clientIp: string; readonly requestId: string };

/**
 * Opens a session. Resolves when the client was accepted, or answered that it asks for none.
 *
 * @param onEnd called once, when a session that was opened has ended.
 * @returns whether a session was opened.
 * @throws CallRefusal, as a rejection.
 */
async function openRealtime(
  state: RelayState,
  request: ClientRequest,
  credential: Credential,
  { clientIp, requestId }: Opening,
  onEnd: () => void,
): Promise<boolean> {
  const { deps } = state;
  const model = readTarget(request.url).query.get("model") ?? "";
  if (model === "") {
    throw new CallRefusal(400, "invalid_request", "model is required", { param: "model" });
  }
  const kind = { formatId, modality: "realtime", isStream: true } as const;
  const plan = planCall(deps, state.plans, credential, model, kind);
  const tried: ChannelView[] = [];
  const facts: SessionFacts = { state, credential, clientIp, plan, tried };
  const bill = await holdResponse(facts, requestId);
  let session: RealtimeSession | null = null;
  // An upstream may speak before the client is accepted.
  const early: (() => void)[] = [];
  const tell = (event: (heard: RealtimeSession) => void): void => {
    if (session?.isOpen() === true) event(session);
    else early.push(() => session !== null && event(session));
  };
  try {
    const listener = {
      message: (bytes: Buffer, isText: boolean) => tell((heard) => heard.answered(bytes, isText)),
      drained: () => tell((heard) => heard.upstreamDrained()),
      closed: (code: number, reason: string) => tell((heard) => heard.upstreamClosed(code, reason)),
    };
    const { upstream, way } = await connect(facts, request, listener);
    session = new RealtimeSession(
      {
        ...facts,
        upstreamModel: way.model,
        readUsage: way.readUsage,
        mayTranscribe: (named) => mayUse(state, credential, plan.group, named),
        onEnd(ended) {
          state.sessions.delete(ended);
          onEnd();
        },
      },
      bill,
    );
    const opened = session;
    const client = request.acceptWebSocket({
      messageBytesMax,
      chooseProtocol: (offered) => (offered.includes("realtime") ? "realtime" : ""),
      listener: {
        message: (bytes, isText) => opened.asked(bytes, isText),
        drained: () => opened.clientDrained(),
        closed: (code) => opened.clientClosed(code),
      },
    });
    if (client === null) {
      upstream.close();
      bill.release();
      return false;
    }
    state.sessions.add(opened);
    opened.open(client, upstream);
    for (const event of early.splice(0)) event();
    upstream.resume();
    return true;
  } catch (error) {
    bill.release();
    throw error;
  }
}

/** Whether the client may use a model and can be charged for it. */
function mayUse(
  { deps }: RelayState,
  { token }: Credential,
  group: string,
  model: string,
): boolean {
  const isOpen = token.modelLimits === null || token.modelLimits.has(model);
  return isOpen && deps.priceOf(model, group) !== undefined;
}

type Connected = { readonly upstream: WebSocketEnd; readonly way: Way };

/** Connects to one channel after another until one accepts. */
async function connect(
  { state, plan, tried }: SessionFacts,
  request: ClientRequest,
  listener: Parameters<typeof openWebSocket>[2],
): Promise<Connected> {
  const { deps, health, keys } = state;
  for (let left = deps.snapshot.options.retryTimes; left >= 0; left -= 1) {
    const channel = chooseChannel({ tiers: plan.tiers, tried, health, random: deps.random });
    if (channel === undefined) break;
    tried.push(channel);
    const way = wayTo(plan, channel);
    if (way.target === null) continue;
    health.started(channel.id);
    const startedMs = deps.ticker.nowMs();
    const passed = passedHeaders(request.headers);
    const opened = await openWebSocket(
      { transport: deps.transport, ticker: deps.ticker },
      {
        target: way.target,
        headers: headersTo(way, way.target, keys.next(channel), passed),
        limits: { ...channel.limits, totalMs: sessionMsMax },
        cancellation: newCancellation(),
        protocols: [],
        messageBytesMax,
      },
      listener,
    );
    const isRetry = tried.length > 1;
    if (opened.kind === "open") {
      // What the upstream sends waits until the client is accepted.
      opened.end.pause();
      health.ended(channel.id, { kind: "answered" });
      deps.attempts.answered(channel.id, plan.model, isRetry, deps.ticker.nowMs() - startedMs);
      return { upstream: opened.end, way };
    }
    if (opened.kind === "answer") opened.cancel();
    const code = opened.kind === "answer" ? `status-${opened.status}` : opened.code;
    health.ended(channel.id, { kind: "failed", retryAfterMs: null });
    deps.attempts.failed(channel.id, plan.model, isRetry, code);
    deps.log.info({ channelId: channel.id, code }, "a realtime session was not accepted");
  }
  throw tried.length === 0 ? noChannel(plan.group, plan.model) : upstreamUnreachable();
}

/** Opens a realtime session, which counts as one call until it ends. */
export async function serveRealtime(
  state: RelayState,
  request: ClientRequest,
  credential: Credential,
  meta: Opening,
): Promise<void> {
  enter(state.atOnce, credential, state.deps.snapshot.options.callsAtOnce);
  const ended = (): void => leave(state.atOnce, credential);
  let isOpen = false;
  try {
    await limitCaller(state.deps, credential);
    isOpen = await openRealtime(state, request, credential, meta, ended);
  } finally {
    if (!isOpen) ended();
  }
}
