/** Prepares what ways of every kind have. */

import type { UpstreamFormat } from "#formats/format.ts";
import { type ClientFormatId, formats } from "#formats/registry.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";
import { targetOf } from "./sending.ts";
import type { Way, WayFacts } from "./way.ts";

/** A way without what the kinds do in different manners. */
export type PreparedWay = Omit<
  Way,
  "isLastMessage" | "reading" | "requests" | "withoutUsage" | "write" | "writeQuestion"
>;

/** Whether requests in this format are passed on where clients speak it, too. */
export function isPassedOn(id: UpstreamFormatId): id is ClientFormatId {
  return Object.hasOwn(formats, id);
}

/** @param format reads what comes from the upstream as it is. */
export function prepareWay(
  facts: WayFacts,
  {
    accepts,
    asksStream,
    format,
  }: Pick<Way, "accepts" | "asksStream"> & {
    readonly format: UpstreamFormat;
  },
): PreparedWay {
  const { channel, formatId, modality, model, upstreamId } = facts;
  return {
    ...facts,
    format,
    readUsage: channel.provider.formats[upstreamId]?.readUsage ?? format.readUsage,
    speaksFormat: formatId === upstreamId,
    asksStream,
    accepts,
    target: targetOf(channel, { format: upstreamId, modality, model, isStream: asksStream }),
    headers: new Map(),
  };
}
