/**
 * Opens realtime sessions: those whose model the address of the request names, and those whose model
 * the first message does.
 */

import type { Opening } from "./opening.ts";
import { HeldBytes } from "#base/memory/byte-budget.ts";
import type { LiveFormat, NamedByAddress, NamedByMessage } from "#formats/live.ts";
import { formats } from "#formats/registry.ts";
import { readTarget } from "#http/target.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { sessionTags } from "#relay/call/tags.ts";
import { planCall } from "#relay/admission/admit.ts";
import type { Credential } from "#relay/call/facts.ts";
import { enter, leave } from "#relay/admission/calls-at-once.ts";
import { limitCaller } from "#relay/admission/limits.ts";
import { endRevoked } from "#relay/call/revoke.ts";
import { holdResponse, type SessionFacts } from "./bill.ts";
import { connect, type Connected, messageBytesMax } from "./connect.ts";
import { holdEntry } from "./entry.ts";
import { RealtimeSession } from "./session.ts";
import { readLiveSetup } from "./setup.ts";

/**
 * Opens a session whose model the address names. Resolves when the client was accepted, or answered
 * that it asks for none.
 *
 * @returns whether a session was opened.
 * @throws CallRefusal, as a rejection.
 */
async function openNamed(opening: Opening, live: NamedByAddress): Promise<boolean> {
  const { clientIp, credential, formatId, request, requestId, state } = opening;
  const model = readTarget(request.url).query.get("model") ?? "";
  if (model === "") {
    throw new CallRefusal(400, "invalid_request", "model is required", { param: "model" });
  }
  const kind = { formatId, modality: "realtime", isStream: true } as const;
  const plan = planCall(state.deps, state.plans, credential, model, kind);
  const tags = sessionTags(credential, request.headers);
  const facts: SessionFacts = { state, credential, clientIp, plan, tags, tried: [] };
  const bill = await holdResponse(facts, requestId, null);
  let connected: Connected | null = null;
  try {
    connected = await connect(facts, request.headers, null);
  } finally {
    if (connected === null) bill.release();
  }
  const { hear, upstream, way } = connected;
  const reader = live.openReader({
    client: plan.model,
    upstream: way.model,
    mayTranscribe: (named) => mayUse(state, credential, plan.group, named),
  });
  const session = newSession(opening, { reader, readNames: live.readNames, readSetup: null });
  if (!accept(opening, session)) {
    upstream.close();
    bill.release();
    return false;
  }
  const begun = { facts, readUsage: way.readUsage, onAnswered: null, renamesCounts: false };
  session.begin(begun, bill, upstream, null);
  hear(session);
  return true;
}

/**
 * Opens a session whose model the first message names. A client that may not begin one is told by the
 * close, as the API tells it, and nothing is read of it.
 *
 * @returns whether it was opened.
 */
async function openUnnamed(opening: Opening, live: NamedByMessage): Promise<boolean> {
  const entry = await holdEntry(opening).catch((error: unknown) => {
    if (error instanceof CallRefusal) return error;
    throw error;
  });
  const session = newSession(opening, {
    reader: live.openReader(),
    readNames: live.readNames,
    readSetup: readLiveSetup(opening, live),
  });
  const isOpen = accept(opening, session);
  if (entry instanceof CallRefusal) {
    if (isOpen) session.refuse(entry);
  } else if (isOpen) session.enter(entry);
  else entry.release();
  return isOpen;
}

type Reads = Pick<
  ConstructorParameters<typeof RealtimeSession>[0],
  "reader" | "readNames" | "readSetup"
>;

function newSession({ credential, onEnd, state }: Opening, reads: Reads): RealtimeSession {
  return new RealtimeSession({
    state,
    credential,
    ...reads,
    onEnd(ended) {
      state.sessions.delete(ended);
      onEnd();
    },
  });
}

/** Accepts the client. Returns whether it asked for a WebSocket; otherwise it was answered so. */
function accept({ credential, request, state }: Opening, session: RealtimeSession): boolean {
  const client = request.acceptWebSocket({
    messageBytesMax,
    held: new HeldBytes({ budget: state.deps.budget, owner: credential.user.id }),
    chooseProtocol: (offered) => (offered.includes("realtime") ? "realtime" : ""),
    listener: {
      message: (bytes, isText) => session.asked(bytes, isText),
      drained: () => session.clientDrained(),
      closed: (code) => session.clientClosed(code),
    },
  });
  if (client === null) return false;
  state.sessions.add(session);
  session.open(client);
  return true;
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

/** Opens a realtime session, which counts as one call until it ends. */
export async function serveRealtime(opening: Omit<Opening, "onEnd">): Promise<void> {
  const { credential, formatId, state } = opening;
  const { live }: { readonly live: LiveFormat } = formats[formatId].client;
  const { callerChanges, deps } = { callerChanges: state.callerChanges, deps: state.deps };
  await enter(state.atOnce, credential, deps.snapshot.options.callsAtOnce);
  const onEnd = (): void => leave(state.atOnce, credential);
  let isOpen = false;
  try {
    await limitCaller(deps, credential);
    const given = { ...opening, onEnd };
    isOpen = await (live.namedBy === "address" ? openNamed(given, live) : openUnnamed(given, live));
  } finally {
    if (!isOpen) onEnd();
  }
  // Users or tokens have changed since the key was checked, so that the session may have to end.
  if (isOpen && state.callerChanges !== callerChanges) endRevoked(state);
}
