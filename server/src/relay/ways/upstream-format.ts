/** Chooses the format in which a channel's upstream is asked. */

import type { Modality } from "#canonical/modality.ts";
import { convertedTo } from "#formats/conversion-registry.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { Provider } from "#providers/provider.ts";
import { serves as providerServes } from "#providers/upstream-url.ts";

/** Whether the channel can answer calls of this modality in this format. */
export function serves(channel: ChannelView, format: ClientFormatId, modality: Modality): boolean {
  return upstreamFormat(channel.provider, format, modality, null) !== undefined;
}

/** Whether the channel's provider itself speaks the format. */
export function speaks(channel: ChannelView, format: ClientFormatId, modality: Modality): boolean {
  return providerServes(channel.provider, { format, modality });
}

/**
 * Returns the format in which the provider is asked: the client's own, or else the first that it
 * speaks. Undefined: it cannot answer such calls.
 *
 * @param model the upstream model; null: any.
 */
export function upstreamFormat(
  provider: Provider,
  format: ClientFormatId,
  modality: Modality,
  model: string | null,
): UpstreamFormatId | undefined {
  const fits = (id: UpstreamFormatId): boolean => {
    const { models } = provider.formats[id] ?? {};
    const takesModel = model === null || models === undefined || models.test(model);
    return takesModel && providerServes(provider, { format: id, modality });
  };
  if (fits(format)) return format;
  if (modality !== "chat") return convertedTo(modality, format).find(fits);
  // Safe cast: these are the keys of the type.
  const ids = Object.keys(provider.formats) as readonly UpstreamFormatId[];
  return ids.find(fits);
}
