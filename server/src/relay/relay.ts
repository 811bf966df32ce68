/**
 * The relay: takes a client's call from received bytes to sent answer. This file has the stages in
 * their order; the loop over attempts is that of `routing/choose.ts`. Whatever happens, a call's hold
 * is settled or released exactly once.
 */

import { priceAt, reservedMinute } from "@tollgate/contract/money/charge.ts";
import type { ClientFormat, RequestBody } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import type { CallMeta, ClientRequest, ClientResponse } from "#http/client-request.ts";
import type { Running } from "#ports/running.ts";
import { readPath } from "#http/target.ts";
import { CallRefusal, refusalResponse } from "./call/call-refusal.ts";
import { watchDisconnect } from "./call/client-disconnect.ts";
import { endUnanswered, type Failure, failureResponse } from "./answers/failure.ts";
import { brokenByUs, shuttingDown, tooBusy } from "./call/refusals.ts";
import { answerAnyone } from "./answers/small.ts";
import { answerOther } from "./answers/other.ts";
import { openClientStream } from "./answers/stream.ts";
import { answerWhole } from "./answers/whole.ts";
import type { CallEnd, Credential, Upload } from "./call/facts.ts";
import { checkCalls, endCall, startCall } from "./call/life.ts";
import { type OpenCall, unanswered } from "./call/attempt-state.ts";
import type { RelayState } from "./call/relay-state.ts";
import { tagsOf } from "./call/tags.ts";
import { openTrace } from "./call/trace.ts";
import type { RelayDeps } from "./deps.ts";
import { type AskedRoute, explainRoute, type RouteExplained } from "./routing/explain-route.ts";
import { type ChannelStanding, channelStanding } from "./routing/standing.ts";
import { drain, endSessions } from "./call/drain.ts";
import { type CallKind, openPlans } from "./plan.ts";
import { noteRefused, openRefusedRows } from "./settle/refused-calls.ts";
import { callersChanged, endRevoked } from "./call/revoke.ts";
import { openRunning } from "./call/running.ts";
import { enter, leave, openCallsAtOnce } from "./admission/calls-at-once.ts";
import { limitCaller } from "./admission/limits.ts";
import { findChannels } from "./routing/allow-named.ts";
import {
  type CallIngress,
  clientFormat,
  findIngress,
  playgroundIngress,
  sharesPath,
  wantsList,
} from "./ingress.ts";
import {
  needsKey,
  takesKeyInQuery,
  takesOfferedKey,
  withOfferedKeys,
} from "./admission/ingress-keys.ts";
import { holdQuota, planCall } from "./admission/admit.ts";
import { firstOf, tryInTurn } from "./routing/choose.ts";
import { callAttempts } from "./attempt.ts";
import type { Attempt } from "./answers/read-answer.ts";
import { authenticate, rememberLookups } from "./admission/authenticate.ts";
import { withoutSocket } from "./responses-socket/open.ts";
import type { AnswerCall } from "./responses-socket/session.ts";
import { openHealth } from "./routing/health.ts";
import { boundsOf } from "./admission/hold-size.ts";
import { readBody } from "./admission/read-body.ts";
import { readCall } from "./admission/read-call.ts";
import { endUpload, isForm, readUpload } from "./admission/read-upload.ts";
import { answerTask } from "./task-calls.ts";
import { noLosses } from "./settle/record.ts";
import { openKeyRotation } from "./routing/route.ts";
import { conversationIn, toolNamesOf, turnOf } from "./places/conversation.ts";
import { openMoved } from "./places/moved.ts";
import { openBill } from "./settle/settle.ts";
import { passedHeaders } from "./ways/sending.ts";

/**
 * A playground call: it has no key, and the playground has authenticated its user and read its
 * body.
 */
export type KnownCall = { readonly credential: Credential; readonly bytes: Uint8Array };

export type Relay = {
  /** Answers every request to the relay's paths. Never rejects. */
  answer(request: ClientRequest, meta: CallMeta): Promise<void>;
  /** Answers a playground call. Never rejects. */
  answerKnown(request: ClientRequest, meta: CallMeta, known: KnownCall): Promise<void>;
  /** Returns the number of calls in progress. */
  open(): number;
  /** Returns the number of channels that are ejected at the moment because they kept failing. */
  ejected(): number;
  /** The calls that run now, and how they are stopped by hand. */
  readonly running: Running;
  /** Takes over what another node has told. */
  heard(hint: unknown): void;
  /** Says why a channel is or is not used now. */
  standing(channelId: number): ChannelStanding;
  /** Says where a call would go that is not made. */
  explain(asked: AskedRoute): RouteExplained;
  /** Ends the realtime sessions, and refuses calls from now on if `calls` says so. */
  stopTaking(what: "calls" | "sessions"): void;
  /**
   * Shuts down: resolves when no call is in progress. Calls over the limit are ended and billed.
   *
   * @param others returns how many requests are in progress on the server; absent: none are.
   */
  drain(others?: () => number): Promise<void>;
  /**
   * Must be called when users or tokens have changed: ends the streams of those that may not call
   * any more.
   */
  callersChanged(): void;
};

export function openRelay(given: RelayDeps): Relay {
  const deps = { ...given, lookupOf: rememberLookups(given.lookupOf) };
  const state: RelayState = {
    deps,
    health: openHealth(deps.ticker.nowMs, { ...deps, tell: deps.tellNodes }),
    keys: openKeyRotation(),
    moved: openMoved(),
    plans: openPlans(),
    calls: new Set(),
    sessions: new Set(),
    conversations: { bytes: 0 },
    refusedRows: openRefusedRows(),
    ticking: { tick: (nowMs) => checkCalls(state, nowMs) },
    atOnce: openCallsAtOnce(deps),
    keptBytes: 0,
    drains: 0,
    count: 0,
    callerChanges: 0,
    isStopping: false,
  };
  return {
    answer: (request, meta) => answer(state, request, meta, null),
    answerKnown: (request, meta, known) => answer(state, request, meta, known),
    open: () => state.calls.size,
    ejected: state.health.ejectedCount,
    running: openRunning(state),
    heard: state.health.heard,
    standing: (channelId) => channelStanding(state, channelId),
    explain: (asked) => explainRoute(state, asked),
    stopTaking(what) {
      state.isStopping = what === "calls";
      endSessions(state);
    },
    drain: (others = () => 0) => drain(state, others),
    callersChanged: () => callersChanged(state),
  };
}

/**
 * Answers a request to the relay.
 *
 * @param known user and body of a playground call; null: they are read from the request.
 */
async function answer(
  state: RelayState,
  request: ClientRequest,
  meta: CallMeta,
  known: KnownCall | null,
): Promise<void> {
  const { deps } = state;
  const { requestId } = meta;
  const startedMs = deps.ticker.nowMs();
  const path = readPath(request.url);
  const found = known === null ? findIngress(request.method, path) : playgroundIngress;
  const ingress = withoutSocket(found, request, deps.snapshot.options);
  const formatId = sharesPath(ingress)
    ? clientFormat(ingress.format, request.headers)
    : ingress.format;
  const events: ClientFormat = formats[formatId].client;
  const format = (wantsList(ingress, request.url) ? events.listed : undefined) ?? events;
  let caller: Credential | null = null;
  let entered: Credential | null = null;
  let call: OpenCall | null = null;
  try {
    if (state.isStopping) throw shuttingDown();
    if (ingress.kind === "task") {
      const task = deps.tasks.find(request.method, path);
      const response = task && (await answerTask(state, request, meta, task));
      if (response) request.respond(response);
      if (task !== undefined) return;
    }
    if (!needsKey(ingress)) {
      const { method } = request;
      request.respond(answerAnyone(ingress, { format, method, path, requestId }));
      return;
    }
    const hasWaited = request.hasWaited();
    if (deps.shedsLoad(hasWaited)) throw tooBusy({ rests: !hasWaited });
    const { callerChanges } = state;
    const bearer = takesOfferedKey(ingress) ? withOfferedKeys(request) : request;
    const judged =
      known?.credential ?? authenticate(deps, bearer, meta.clientIp, takesKeyInQuery(ingress));
    const credential = judged instanceof Promise ? await judged : judged;
    caller = credential;
    if (ingress.kind !== "call") {
      const other = { ingress, format, credential, answer: answerIn(state) };
      await answerOther(state, request, meta, other);
      return;
    }
    const given = known?.bytes ?? null;
    const begin = { ingress, format, credential, callerChanges, startedMs, given, upload: null };
    const entering = enter(state.atOnce, credential, deps.snapshot.options.callsAtOnce);
    if (entering !== null) await entering;
    entered = credential;
    const takesForm = ingress.takesForm === true && isForm(request);
    call = await (takesForm ? beginForm : beginCall)(state, request, meta, begin);
    watchDisconnect(state, call, request);
    if (call.isStream) serveStream(state, call, request);
    else request.respond(await serveWhole(state, call, request));
  } catch (error) {
    const refusal = error instanceof CallRefusal ? error : brokenByUs();
    if (refusal !== error) deps.log.error({ err: error, requestId }, "a call failed");
    if (call !== null) endCall(state, call, { status: refusal.status, counted: null });
    else {
      if (entered !== null) leave(state.atOnce, entered);
      noteRefused(state, request, meta, { ingress, startedMs, refusal, credential: caller });
    }
    const { headers } = request;
    request.respond(refusalResponse(format, refusal, { requestId, headers }, deps.errorText));
  }
}

/** Outside of `answer`, where a closure would cost every call an object. */
function answerIn(state: RelayState): AnswerCall {
  return (request, meta) => answer(state, request, meta, null);
}

type Begin = {
  readonly ingress: CallIngress;
  readonly format: ClientFormat;
  readonly credential: Credential;
  /** The value of `RelayState.callerChanges` when the credential was checked. */
  readonly callerChanges: number;
  readonly startedMs: number;
  /** The body of a playground call, which is read before; null: the body is still to be read. */
  readonly given: Uint8Array | null;
  /** The files of a form, which is read before; null: the request is none. */
  readonly upload: Upload | null;
};

/** Reads a form, and then begins the call as any other. */
async function beginForm(
  state: RelayState,
  request: ClientRequest,
  meta: CallMeta,
  begin: Begin,
): Promise<OpenCall> {
  const { budget, snapshot } = state.deps;
  const memory = { budget, owner: begin.credential.user.id };
  const { bytes, upload } = await readUpload(memory, request, snapshot.options.bodyBytesMax);
  try {
    return await beginCall(state, request, meta, { ...begin, given: bytes, upload });
  } catch (error) {
    endUpload(upload);
    throw error;
  }
}

function kindOf({ format }: CallIngress, { modality, stream }: RequestBody): CallKind {
  return { formatId: format, modality, isStream: stream && modality !== "embeddings" };
}

/**
 * Runs the stages before the first attempt: the last of them holds quota.
 *
 * @throws CallRefusal; no quota is held then.
 */
async function beginCall(
  state: RelayState,
  request: ClientRequest,
  { clientIp, requestId }: CallMeta,
  { ingress, format, credential, callerChanges, startedMs, given, upload }: Begin,
): Promise<OpenCall> {
  const { deps } = state;
  const { options } = deps.snapshot;
  const startedAt = deps.now();
  const limited = limitCaller(deps, credential);
  if (limited !== null) await limited;
  const taken = given ?? readBody(request, options.bodyBytesMax, deps.budget, credential.user.id);
  const received = taken instanceof Promise ? await taken : taken;
  const path = upload === null ? ingress : { ...ingress, files: upload.files };
  const reading = readCall(deps, format, credential, received, path);
  const read = reading instanceof Promise ? await reading : reading;
  const { body, bytes, conversation } = read;
  const planned = planCall(deps, state.plans, credential, body.model, kindOf(ingress, body));
  const turn = turnOf(planned, request.headers, credential.user.id, bytes);
  const tags = tagsOf(credential.token.tags, request.headers, bytes);
  const tool_names = toolNamesOf(turn, bytes);
  const bounds = boundsOf(body, options.outputTokensHeld);
  const found = findChannels(deps, planned, credential, format, read);
  const only = found instanceof Promise ? await found : found;
  const plan = only === null ? planned : only.plan;
  const minute = reservedMinute(plan.price, deps.now());
  const held = holdQuota(deps, { requestId, credential, plan, tags, minute, bounds });
  return enterCall(state, callerChanges, {
    requestId,
    clientIp,
    credential,
    model: body.model,
    group: plan.group,
    isStream: plan.isStream,
    plan,
    tried: [],
    retries: plan.pinned ? 0 : options.retryTimes,
    turn: planned.places ? turn : 0,
    conversation_id: conversationIn(turn),
    tags,
    tool_names,
    candidates: plan.candidatesText,
    conversation,
    bound: only === null ? null : only.bound,
    leftOut: noLosses,
    upload,
    startedAt,
    startedMs,
    formatId: ingress.format,
    format,
    bytes,
    promptTokens: null,
    body,
    price: priceAt(plan.price, minute),
    minute,
    bounds,
    sent: bounds,
    bill: openBill(held instanceof Promise ? await held : held),
    headers: request.headers,
    passed: passedHeaders(request.headers),
    ...unanswered,
    transcript: options.keepsTexts ? deps.openTranscript() : null,
    trace: openTrace(deps),
  });
}

function enterCall(state: RelayState, callerChanges: number, call: OpenCall): OpenCall {
  startCall(state, call);
  // Users or tokens have changed since the call was authenticated, so that it may have to end.
  if (state.callerChanges !== callerChanges) endRevoked(state);
  return call;
}

/** Tries one channel after another until one answers. Null: there was no channel to try. */
function runAttempts(state: RelayState, call: OpenCall): Promise<Attempt | null> {
  return tryInTurn(state, call, callAttempts, firstOf(state, call));
}

async function serveWhole(
  state: RelayState,
  call: OpenCall,
  client: ClientRequest,
): Promise<ClientResponse> {
  let end: CallEnd = { status: 500, counted: null };
  try {
    const attempt = await runAttempts(state, call);
    if (attempt?.kind === "whole") {
      const { response, counted } = await answerWhole(state, call, attempt);
      end = { status: response.status, counted };
      // The tokenizer and the store of texts read the body later.
      if (counted?.source === "upstream" && call.transcript === null) client.freeBody(call.bytes);
      return response;
    }
    const failure = await endUnanswered(state, call, attempt);
    end = failure;
    return failureResponse(state, call, failure);
  } finally {
    endCall(state, call, end);
  }
}

/** Starts a streamed answer and returns immediately. When the stream ends, it calls `onEnd`. */
function serveStream(state: RelayState, call: OpenCall, client: ClientRequest): void {
  let failure: Failure | null = null;
  const stream = openClientStream({
    state,
    call,
    client,
    onEnd(end) {
      endCall(state, call, failure ?? end);
      if (stream.headSent) return;
      client.respond(refusalResponse(call.format, brokenByUs(), call, state.deps.errorText));
    },
  });
  runAttempts(state, call)
    .then(async (attempt) => {
      if (attempt?.kind === "stream") {
        stream.flow(attempt);
        return;
      }
      failure = await endUnanswered(state, call, attempt);
      if (!stream.headSent) client.respond(failureResponse(state, call, failure));
      stream.fail(failure);
    })
    .catch((error: unknown) => stream.breakDown(error));
}
