/** Notes to whom answers give ids of what their upstreams keep. */

import type { GivenIds } from "#canonical/call-log.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import type { OpenCall } from "#relay/call.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { ChannelView } from "#relay/snapshot.ts";

/**
 * Notes to whom the ids of an answer were given, and returns what its settlement has to store; null:
 * nothing.
 *
 * @param bytes the answer as the client gets it, or the last events of a stream.
 * @param streamed texts of the other events of the stream.
 */
export function givenBy(
  deps: Pick<RelayDeps, "issuers">,
  call: Pick<OpenCall, "converted" | "credential" | "format" | "isStream" | "key" | "translated">,
  { id }: Pick<ChannelView, "id">,
  bytes: Uint8Array,
  streamed?: readonly string[],
): GivenIds | null {
  const { converted, credential, format, isStream, key, translated } = call;
  const { names } = format;
  if (names === undefined || translated !== null || converted !== null) return null;
  const ids = names.givenIn(bytes, isStream);
  const earlier = streamed === undefined || streamed.length === 0 ? ids : idsIn(names, streamed);
  if (ids.length + earlier.length === 0) return null;
  const issuer = { userId: credential.user.id, channelId: id, key };
  return deps.issuers.give(earlier === ids ? ids : [...earlier, ...ids], issuer);
}

function idsIn(names: NamesReader, texts: readonly string[]): readonly string[] {
  return texts.filter((text) => names.isId(text));
}
