/** Opens the way to a channel's upstream: the only place where its kind is chosen. */

import type { Modality } from "#canonical/modality.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { convertedWay } from "./converted.ts";
import { passedOnWay } from "./passed-on.ts";
import { translatedWay } from "./translated.ts";
import { upstreamFormat } from "./upstream-format.ts";
import type { Way, WayKind } from "./way.ts";

/** What a client asks for, as far as it decides how a channel's upstream is asked. */
type CallKind = {
  readonly formatId: ClientFormatId;
  readonly modality: Modality;
  readonly isStream: boolean;
  /** The model that the client names. */
  readonly model: string;
};

/** The kinds of way that not every call can go, the first that fits is taken. */
export const wayKinds: WayKind[] = [convertedWay, translatedWay];

export function openWay(
  channel: ChannelView,
  { formatId, modality, isStream, model: named }: CallKind,
): Way {
  const model = channel.modelMapping.get(named) ?? named;
  const upstreamId = upstreamFormat(channel.provider, formatId, modality, model) ?? formatId;
  const asksForUsage = isStream && channel.provider.formats[upstreamId]?.asksForUsage === true;
  const facts = { channel, formatId, upstreamId, modality, isStream, model, asksForUsage };
  for (const open of wayKinds) {
    const way = open(facts);
    if (way !== undefined) return way;
  }
  return passedOnWay(facts);
}
