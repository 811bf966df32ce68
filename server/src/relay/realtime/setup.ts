/**
 * Begins a session with its first message: decides by the model that it names, as for any call,
 * holds for the first turn, connects, and passes it on.
 */

import type { NamedByMessage } from "#formats/live.ts";
import { bodyRefused, issuerGone } from "#relay/call/refusals.ts";
import { sessionTags } from "#relay/call/tags.ts";
import type { Plan } from "#relay/plan.ts";
import { planCall } from "#relay/admission/admit.ts";
import { allowNamed } from "#relay/routing/allow-named.ts";
import { holdResponse, type SessionFacts } from "./bill.ts";
import { connect, type Connected, type Only } from "./connect.ts";
import type { Opening } from "./opening.ts";
import type { RealtimeSession } from "./session.ts";

/** Returns what reads the first message of the session; the second waits until the first is done. */
export function readLiveSetup(opening: Opening, live: NamedByMessage) {
  let isRead = false;
  return (session: RealtimeSession, bytes: Buffer, isText: boolean): void => {
    // A client that closes while the upstream connects may have sent more.
    if (isRead) return;
    isRead = true;
    beginLive(opening, live, session, { bytes, isText }).catch((error: unknown) => {
      session.refuse(error);
    });
  };
}

async function beginLive(
  opening: Opening,
  live: NamedByMessage,
  session: RealtimeSession,
  { bytes, isText }: { readonly bytes: Buffer; readonly isText: boolean },
): Promise<void> {
  const { clientIp, credential, formatId, request, requestId, state } = opening;
  const setup = live.readSetup(bytes);
  if (setup === undefined || setup.model === "") throw noSetup();
  session.wait();
  const kind = { formatId, modality: "realtime", isStream: true } as const;
  const planned = planCall(state.deps, state.plans, credential, setup.model, kind);
  const { only, plan } = await findOnly(opening, planned, live, bytes);
  const tags = sessionTags(credential, request.headers);
  const facts: SessionFacts = { state, credential, clientIp, plan, tags, tried: [] };
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
  const onAnswered = noteHandles(facts, live, connected);
  const first = { bytes: setup.named(name), isText };
  const asksVertex = channel.provider.nameLiveModel !== undefined;
  const renamesCounts = asksVertex !== live.isVertex;
  const begun = { facts, readUsage: way.readUsage, onAnswered, renamesCounts };
  session.begin(begun, bill, upstream, first);
  hear(session);
}

const noSetup = () =>
  bodyRefused("invalid_request", "setup", 'the first message must be {"setup":{"model":…}}');

/**
 * Finds where a session may go: the channels that may get what its setup names, and the channel and
 * key whose session a handle continues. Null: any.
 *
 * @throws CallRefusal when it may go nowhere, as a rejection.
 */
async function findOnly(
  { credential, state: { deps } }: Opening,
  planned: Plan,
  live: NamedByMessage,
  setup: Uint8Array,
): Promise<{ readonly plan: Plan; readonly only: Only | null }> {
  const named = live.readNames(setup);
  const { bound, plan } = await allowNamed(deps, planned, credential, named);
  if (bound === null) return { plan, only: null };
  const channel = plan.tiers
    .flatMap(({ channels }) => channels)
    .find(({ id }) => id === bound.channelId);
  const key = channel?.keys.find((each) => deps.issuers.markOf(each) === bound.keyMark);
  if (channel === undefined || key === undefined) throw issuerGone(live.handleField);
  return { plan, only: { channel, key } };
}

/** Remembers which channel and key a later session has to use to continue this one. */
function noteHandles(
  { credential, state }: SessionFacts,
  live: NamedByMessage,
  { key, way }: Connected,
) {
  const noted = { userId: credential.user.id, channelId: way.channel.id, key };
  return (bytes: Buffer): void => {
    const handle = live.handleIn(bytes);
    if (handle !== "") state.deps.issuers.note([handle], noted);
  };
}
