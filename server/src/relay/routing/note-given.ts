/** Notes to whom answers give ids of what their upstreams keep. */

import type { GivenIds } from "#canonical/call-log.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";

type Call = Pick<OpenCall, "credential" | "format" | "given" | "isStream" | "key" | "reading">;

/**
 * Notes to whom the ids of an answer were given, and returns what its settlement has to store; null:
 * nothing.
 *
 * @param bytes the answer as the client gets it, or the last events of a stream.
 * @param streamed texts of the other events of the stream.
 */
export function givenBy(
  deps: Pick<RelayDeps, "issuers">,
  call: Call,
  channel: Pick<ChannelView, "id">,
  bytes: Uint8Array,
  streamed?: readonly string[],
): GivenIds | null {
  const names = namesOf(call);
  if (names === undefined) return null;
  const ids = names.givenIn(bytes, call.isStream);
  const isWhole = streamed === undefined || streamed.length === 0;
  const earlier = isWhole ? ids : idsIn(names, streamed, false);
  return give(deps, call, channel, earlier === ids ? ids : [...earlier, ...ids]);
}

/** Does the same for a stream that did not come to its end: the client may have got these texts. */
export function givenByCut(
  deps: Pick<RelayDeps, "issuers">,
  call: Call,
  channel: Pick<ChannelView, "id">,
  streamed: readonly string[],
): GivenIds | null {
  const names = namesOf(call);
  if (names === undefined) return call.given;
  return give(deps, call, channel, idsIn(names, streamed, true));
}

/** Undefined: the answer has no ids of the upstream. */
function namesOf({ format, reading }: Call): NamesReader | undefined {
  return reading?.passesOn === true ? format.names : undefined;
}

/** @returns all that the call has given so far, which is stored with its charge. */
function give(
  { issuers }: Pick<RelayDeps, "issuers">,
  { credential, given, key }: Call,
  { id }: Pick<ChannelView, "id">,
  ids: readonly string[],
): GivenIds | null {
  if (ids.length === 0) return given;
  const fresh = issuers.give(ids, { userId: credential.user.id, channelId: id, key });
  if (fresh === null || given === null) return fresh ?? given;
  return { ...fresh, marks: [...given.marks, ...fresh.marks] };
}

/**
 * Notes ids of a stream as soon as they go to the client, which may leave and name them in its next
 * request, before this call has ended.
 */
export function noteComing(
  deps: Pick<RelayDeps, "issuers">,
  call: Call & Pick<OpenCall, "noted">,
  channel: Pick<ChannelView, "id">,
  meter: Pick<StreamMeter, "issuedCount" | "lastIssued">,
): void {
  const { issuedCount } = meter;
  if (issuedCount === call.noted) return;
  const fresh = meter.lastIssued(issuedCount - call.noted);
  call.noted = issuedCount;
  call.given = givenByCut(deps, call, channel, fresh);
}

function idsIn(names: NamesReader, texts: readonly string[], isCut: boolean): readonly string[] {
  return texts.filter((text) => names.isId(text, isCut));
}
