/**
 * Begins a session of Gemini's Live API with its first message: decides by the model that it names,
 * as for any call, holds for the first turn, connects, and passes it on.
 */

import { bodyRefused, issuerGone } from "#relay/answers/refusals.ts";
import { planCall } from "#relay/stages/admit.ts";
import { findBound } from "#relay/stages/issuer.ts";
import { holdResponse, type SessionFacts } from "./bill.ts";
import { connect, type Connected, type Only } from "./connect.ts";
import { handleIn, readSetup, type Setup } from "./gemini-messages.ts";
import type { Opening } from "./realtime.ts";
import type { RealtimeSession } from "./session.ts";

/** Returns what reads the first message of the session; the second waits until the first is done. */
export function readLiveSetup(opening: Opening) {
  let isRead = false;
  return (session: RealtimeSession, bytes: Buffer, isText: boolean): void => {
    // A client that closes while the upstream connects may have sent more.
    if (isRead) return;
    isRead = true;
    beginLive(opening, session, { bytes, isText }).catch((error: unknown) => {
      session.refuse(error);
    });
  };
}

async function beginLive(
  opening: Opening,
  session: RealtimeSession,
  { bytes, isText }: { readonly bytes: Buffer; readonly isText: boolean },
): Promise<void> {
  const { clientIp, credential, formatId, request, requestId, state } = opening;
  const setup = readSetup(bytes);
  if (setup === undefined || setup.model === "") throw noSetup();
  session.wait();
  const kind = { formatId, modality: "realtime", isStream: true } as const;
  const plan = planCall(state.deps, state.plans, credential, setup.model, kind);
  const facts: SessionFacts = { state, credential, clientIp, plan, tried: [] };
  const only = await findOnly(facts, setup);
  session.named();
  const bill = await holdResponse(facts, requestId, null);
  let connected: Connected | null = null;
  try {
    connected = await connect(facts, request.headers, only);
  } finally {
    if (connected === null) bill.release();
  }
  const { hear, key, upstream, way } = connected;
  const { channel } = way;
  const name =
    channel.provider.nameLiveModel?.(way.model, { channel, key }) ?? `models/${way.model}`;
  const onAnswered = plan.hasChoice ? noteHandles(facts, connected) : null;
  const first = { bytes: setup.named(name), isText };
  const isVertex = channel.provider.nameLiveModel !== undefined;
  const renamesCounts = isVertex !== (formatId === "gemini-live-vertex");
  const begun = { facts, readUsage: way.readUsage, onAnswered, renamesCounts };
  session.begin(begun, bill, upstream, first);
  hear(session);
}

const noSetup = () =>
  bodyRefused("invalid_request", "setup", 'the first message must be {"setup":{"model":…}}');

/** Finds the channel and key whose session a handle continues; null: the setup may go anywhere. */
async function findOnly(
  { credential, plan, state }: SessionFacts,
  { resumed }: Setup,
): Promise<Only | null> {
  if (resumed === "" || !plan.hasChoice) return null;
  const { issuers } = state.deps;
  const field = "setup.sessionResumption.handle";
  const issued = { text: resumed, field, isOptional: false };
  const bound = await findBound(state.deps, plan, credential, issued);
  if (bound === null) return null;
  const channel = plan.tiers
    .flatMap(({ channels }) => channels)
    .find(({ id }) => id === bound.channelId);
  const key = channel?.keys.find((each) => issuers.markOf(each) === bound.keyMark);
  if (channel === undefined || key === undefined) throw issuerGone(field);
  return { channel, key };
}

/** Remembers which channel and key a later session has to use to continue this one. */
function noteHandles({ credential, state }: SessionFacts, { key, way }: Connected) {
  const noted = { userId: credential.user.id, channelId: way.channel.id, key };
  return (bytes: Buffer): void => {
    const handle = handleIn(bytes);
    if (handle !== "") state.deps.issuers.note([handle], noted);
  };
}
