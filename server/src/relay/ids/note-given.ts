/** Notes to whom answers give ids of what their upstreams keep. */

import type { GivenIds } from "#canonical/call-log.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import type { OpenCall } from "#relay/call.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { ChannelView } from "#relay/snapshot.ts";

type Call = Pick<
  OpenCall,
  "converted" | "credential" | "format" | "isStream" | "key" | "translated"
>;

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
  if (names === undefined) return null;
  return give(deps, call, channel, idsIn(names, streamed, true));
}

/** Undefined: the answer has no ids of the upstream. */
function namesOf({ converted, format, translated }: Call): NamesReader | undefined {
  return translated !== null || converted !== null ? undefined : format.names;
}

function give(
  { issuers }: Pick<RelayDeps, "issuers">,
  { credential, key }: Call,
  { id }: Pick<ChannelView, "id">,
  ids: readonly string[],
): GivenIds | null {
  if (ids.length === 0) return null;
  return issuers.give(ids, { userId: credential.user.id, channelId: id, key });
}

function idsIn(names: NamesReader, texts: readonly string[], isCut: boolean): readonly string[] {
  return texts.filter((text) => names.isId(text, isCut));
}
