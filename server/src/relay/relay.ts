/**
 * The relay: a client's call from bytes in to bytes out. The stages stand here in their order;
 * nothing below knows that an attempt may be repeated. Whatever happens, what was held for a call
 * is settled or released, once.
 */

import type { ClientRequest, ClientResponse } from "#http/client-request.ts";
import { readPath } from "#http/target.ts";
import { inputOf, noUsage, outputOf } from "#canonical/usage.ts";
import { countSuccess, findPrice, findTerms, holdQuota, limitUser } from "./stages/admit.ts";
import { answerAnyone, answerModels } from "./answers/small.ts";
import { type Attempt, tryChannel } from "./stages/attempt.ts";
import { authenticate, type Credential, rememberLookups } from "./stages/authenticate.ts";
import { answerBilling } from "./answers/billing-queries.ts";
import type { OpenCall, RelayState } from "./call.ts";
import { cancel } from "#network/cancellation.ts";
import {
  CallRefusal,
  errorResponse,
  type ErrorText,
  refusalResponse,
} from "./answers/call-refusal.ts";
import { type Departure, watchDeparture } from "./answers/client-disconnect.ts";
import type { RelayDeps } from "./deps.ts";
import { openHealth } from "./stages/health.ts";
import { boundsOf } from "./stages/hold-size.ts";
import { findIngress, type Ingress, needsKey } from "./ingress.ts";
import type { Counted } from "./stages/meter.ts";
import { readBody } from "./stages/read-body.ts";
import { failureLog } from "./stages/record.ts";
import { bodyRefused, brokenByUs, noChannel, tooBusy } from "./answers/refusals.ts";
import { readRequestBody } from "#formats/openai-chat/client/read-request.ts";
import { openClientStream } from "./answers/stream.ts";
import { answerWhole, billDeparted } from "./answers/whole.ts";
import { chooseChannel, openKeyRotation } from "./stages/route.ts";
import { checkWords } from "./guards/words.ts";
import { openBill } from "./stages/settle.ts";
import { endings } from "./answers/endings.ts";
import { passedHeaders, serves } from "./stages/translate.ts";

/** What the listener found out about a request. */
export type CallMeta = {
  readonly clientIp: string;
  readonly requestId: string;
};

/** A call that brings no key: who makes it was found out otherwise, and so its body was read. */
export type KnownCall = { readonly credential: Credential; readonly bytes: Uint8Array };

export type Relay = {
  /** Answers every request to the relay's address space. Never rejects. */
  answer(request: ClientRequest, meta: CallMeta): Promise<void>;
  /** Answers a chat call of which caller and body are known. Never rejects. */
  answerKnown(request: ClientRequest, meta: CallMeta, known: KnownCall): Promise<void>;
  /** Calls that run. */
  open(): number;
  /** Channels that are left out because they kept failing. */
  ejected(): number;
  /** Resolves when no call runs any more; those that run too long are ended and billed. */
  drain(): Promise<void>;
};

/** How long calls run on once the server is told to go down. */
export const drainCallsMs = 600_000;
const drainStepMs = 50;

/** Every so many calls what is remembered of channels that are gone is dropped. */
const forgetEvery = 1_000;

export function openRelay(given: RelayDeps): Relay {
  const deps = { ...given, lookupOf: rememberLookups(given.lookupOf) };
  const state: RelayState = {
    deps,
    health: openHealth(deps.ticker.nowMs),
    keys: openKeyRotation(),
    calls: new Set(),
    keptBytes: 0,
    drains: 0,
    count: 0,
  };
  return {
    answer: (request, meta) => answer(state, request, meta, null),
    answerKnown: (request, meta, known) => answer(state, request, meta, known),
    open: () => state.calls.size,
    ejected: state.health.ejectedCount,
    drain: () => drain(state),
  };
}

/** @param known null: both are to be found in the request. */
async function answer(
  state: RelayState,
  request: ClientRequest,
  meta: CallMeta,
  known: KnownCall | null,
): Promise<void> {
  const { deps } = state;
  const startedMs = deps.ticker.nowMs();
  try {
    const path = readPath(request.url);
    const ingress = known === null ? findIngress(request.method, path) : knownIngress;
    if (!needsKey(ingress)) {
      const asked = { method: request.method, path, requestId: meta.requestId };
      request.respond(answerAnyone(ingress, asked));
      return;
    }
    if (deps.turnsAway()) throw tooBusy();
    const found = known?.credential ?? authenticate(deps, request, meta.clientIp);
    const credential = found instanceof Promise ? await found : found;
    if (ingress.kind !== "call") {
      const { requestId } = meta;
      request.respond(
        ingress.kind === "billing"
          ? await answerBilling(deps, credential, ingress, requestId)
          : answerModels(deps, credential, ingress, requestId),
      );
      return;
    }
    const call = await beginCall(state, request, meta, {
      ingress,
      credential,
      startedMs,
      given: known?.bytes ?? null,
    });
    const departure = watchDeparture(state, call, request);
    if (call.isStream) serveStream(state, call, departure, request);
    else request.respond(await serveWhole(state, call, departure));
  } catch (error) {
    const refusal = error instanceof CallRefusal ? error : brokenByUs();
    if (refusal !== error) {
      deps.log.error({ err: error, requestId: meta.requestId }, "a call failed");
    }
    countEnd(state, { isStream: false, startedMs, firstByteMs: null }, refusal.status, null);
    request.respond(refusalResponse(refusal, meta.requestId));
  }
}

type Begin = {
  readonly ingress: Extract<Ingress, { kind: "call" }>;
  readonly credential: Credential;
  readonly startedMs: number;
  /** The body, when it was read before. */
  readonly given: Uint8Array | null;
};

/** What calls of known callers ask for. */
const knownIngress: Begin["ingress"] = { kind: "call", modality: "chat", model: null };

/** The stages up to the hold. @throws CallRefusal; nothing is held then. */
async function beginCall(
  state: RelayState,
  request: ClientRequest,
  meta: CallMeta,
  { ingress, credential, startedMs, given }: Begin,
): Promise<OpenCall> {
  const { deps } = state;
  const { options, prices } = deps.snapshot;
  const startedAt = deps.now();
  const { total, successes } = options.requestLimit;
  if (total > 0 || successes > 0) {
    await limitUser(deps, credential.user.id, options.requestLimit);
  }
  const read = given ?? readBody(request, options.bodyBytesMax);
  const bytes = read instanceof Promise ? await read : read;
  const body = readRequestBody(bytes, ingress.modality, ingress.model);
  if ("message" in body) throw bodyRefused(body.code, body.param, body.message);
  if (options.findWord !== null) checkWords(options.findWord, bytes);
  const { model } = body;
  const { group, tiers, pinned } = findTerms(deps.snapshot, credential, model);
  const price = findPrice(deps, model, group);
  const bounds = boundsOf(body, options.outputTokensHeld);
  const isStream = body.stream && body.modality !== "embeddings";
  const { clientIp, requestId } = meta;
  const held = holdQuota(deps, { requestId, credential, model, group, price, bounds, isStream });
  const bill = openBill(deps, held instanceof Promise ? await held : held);
  const call: OpenCall = {
    requestId,
    clientIp,
    credential,
    model,
    group,
    isStream,
    prices,
    tried: [],
    startedAt,
    startedMs,
    bytes,
    promptTokens: null,
    body,
    tiers,
    pinned,
    price,
    bounds,
    bill,
    passed: passedHeaders(request.headers),
    firstByteMs: null,
    dispatched: false,
    attempt: null,
    clientGone: false,
    stopped: false,
  };
  state.calls.add(call);
  deps.metrics.callsOpen(1);
  state.count += 1;
  if (state.count % forgetEvery === 0) forgetChannels(state);
  return call;
}

/** Tries channels until one answers. Null: there is none to try. The only place that retries. */
async function runAttempts(state: RelayState, call: OpenCall): Promise<Attempt | null> {
  const { deps, health } = state;
  let retries = call.pinned ? 0 : deps.snapshot.options.retryTimes;
  let last: Attempt | null = null;
  while (!call.clientGone && !call.stopped) {
    const channel = chooseChannel({
      tiers: call.tiers,
      tried: call.tried,
      health,
      random: deps.random,
      serves: (candidate) => serves(candidate, call.body.modality),
    });
    if (channel === undefined) return last;
    const failedAt = call.tried.at(-1);
    if (failedAt !== undefined && !health.mayRetry(failedAt.id)) return last;
    last = await tryChannel(state, call, channel);
    if (last.kind !== "failed" || !last.fault.retryable || retries <= 0) return last;
    retries -= 1;
  }
  return last;
}

async function serveWhole(
  state: RelayState,
  call: OpenCall,
  departure: Departure,
): Promise<ClientResponse> {
  let status = 500;
  let counted: Counted | null = null;
  try {
    const attempt = await runAttempts(state, call);
    if (attempt?.kind === "whole") {
      const answered = await answerWhole(state, call, attempt);
      counted = answered.counted;
      status = answered.response.status;
      return answered.response;
    }
    const failure = await endUnanswered(state, call, attempt);
    ({ counted, status } = failure);
    return failureResponse(call, failure);
  } finally {
    endCall(state, call, departure, { status, counted });
  }
}

/** Answers as soon as the head may go out; the stream then has its own life. */
function serveStream(
  state: RelayState,
  call: OpenCall,
  departure: Departure,
  client: ClientRequest,
): void {
  let failure: Failure | null = null;
  const stream = openClientStream({
    state,
    call,
    departure,
    client,
    onEnd(status, counted) {
      endCall(state, call, departure, failure ?? { status, counted });
      if (!stream.isHeadSent()) client.respond(refusalResponse(brokenByUs(), call.requestId));
    },
  });
  runAttempts(state, call)
    .then(async (attempt) => {
      if (attempt?.kind === "stream") {
        stream.flow(attempt);
        return;
      }
      failure = await endUnanswered(state, call, attempt);
      if (!stream.isHeadSent()) client.respond(failureResponse(call, failure));
      stream.fail(failure.error);
    })
    .catch(stream.breakDown);
}

type Failure = {
  readonly status: number;
  readonly error: ErrorText;
  readonly retryAfterMs: number | null;
  readonly counted: Counted | null;
};

/** No channel answered: nothing is charged, unless it was the client that did not wait. */
async function endUnanswered(
  state: RelayState,
  call: OpenCall,
  attempt: Attempt | null,
): Promise<Failure> {
  const { deps } = state;
  const fault = attempt?.kind === "failed" ? attempt.fault : null;
  if (call.clientGone && call.dispatched && (fault === null || fault.code === "aborted")) {
    const counted = await billDeparted(state, call);
    return { status: endings.left.status, error: clientLeft, retryAfterMs: null, counted };
  }
  call.bill.release();
  const { status, error, retryAfterMs } = failureOf(call, fault);
  deps.recordFailure(failureLog(call, { status, error, nowMs: deps.now() }));
  return { status, error, retryAfterMs, counted: null };
}

const clientLeft: ErrorText = {
  type: "new_api_error",
  code: "client_left",
  message: endings.left.note,
};

function failureOf(
  call: OpenCall,
  fault: Extract<Attempt, { kind: "failed" }>["fault"] | null,
): Omit<Failure, "counted"> {
  if (call.stopped) return { ...endings.stopped, retryAfterMs: null };
  if (call.clientGone) {
    return { status: endings.left.status, error: clientLeft, retryAfterMs: null };
  }
  if (fault !== null) {
    const { retryAfterMs, shown, status } = fault;
    return { status, error: shown, retryAfterMs };
  }
  const { code, message, status } = noChannel(call.group, call.model);
  return { status, error: { type: "new_api_error", code, message }, retryAfterMs: null };
}

function failureResponse(call: OpenCall, { status, error, retryAfterMs }: Failure): ClientResponse {
  const seconds = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1_000);
  return errorResponse(status, error, call.requestId, seconds);
}

function endCall(
  state: RelayState,
  call: OpenCall,
  departure: Departure,
  end: { readonly status: number; readonly counted: Counted | null },
): void {
  if (!state.calls.delete(call)) return;
  // Whatever went wrong above: nothing stays held for a call that is over.
  call.bill.release();
  departure.end();
  state.deps.metrics.callsOpen(-1);
  countEnd(state, call, end.status, end.counted);
  const { requestLimit } = state.deps.snapshot.options;
  if (requestLimit.successes > 0 && end.status < 400) {
    void countSuccess(state.deps, call.credential.user.id, requestLimit);
  }
}

function countEnd(
  { deps }: RelayState,
  call: Pick<OpenCall, "firstByteMs" | "isStream" | "startedMs">,
  status: number,
  counted: Counted | null,
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

function forgetChannels({ deps, health, keys }: RelayState): void {
  const isKnown = (id: number): boolean => deps.snapshot.findChannel(id) !== undefined;
  health.keep(isKnown);
  keys.keep(isKnown);
}

async function drain(state: RelayState): Promise<void> {
  const dueMs = state.deps.ticker.nowMs() + drainCallsMs;
  while (state.calls.size > 0) {
    if (state.deps.ticker.nowMs() >= dueMs) {
      for (const call of state.calls) {
        call.stopped = true;
        cancel(call.attempt);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, drainStepMs));
  }
}
