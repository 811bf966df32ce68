/** Sorts the channels by what they offer: only those that are enabled are offered. */

import type { ChannelView, Tier } from "#ports/snapshot.ts";

/** For each group its models, and for each of these its tiers: channels of the same priority. */
type Offerings = ReadonlyMap<string, ReadonlyMap<string, readonly Tier[]>>;

/** Mutable, because a snapshot replaces them when channels change. */
export type OfferedChannels = {
  channels: ReadonlyMap<number, ChannelView>;
  offerings: Offerings;
  /** For each model, the groups of its channels, including disabled channels. */
  offered: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Says which channels serve which model to which group. */
export function offerChannels(channels: readonly ChannelView[]): OfferedChannels {
  const offered = new Map<string, Set<string>>();
  for (const channel of channels) {
    for (const model of channel.models) {
      const groups = offered.get(model) ?? new Set<string>();
      offered.set(model, groups);
      for (const group of channel.groups) groups.add(group);
    }
  }
  const offerings = new Map<string, Map<string, Tier[]>>();
  const sorted = channels
    .filter(({ status }) => status === 1)
    .toSorted((a, b) => b.priority - a.priority || a.id - b.id);
  for (const channel of sorted) {
    for (const group of channel.groups) {
      const models = offerings.get(group) ?? new Map<string, Tier[]>();
      offerings.set(group, models);
      for (const model of channel.models) addChannel(models, model, channel);
    }
  }
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return { channels: byId, offered, offerings };
}

/**
 * Adds a channel of a model to the model's tiers. Channels arrive in descending priority, so the
 * channel belongs to the last tier or to a new one.
 */
function addChannel(models: Map<string, Tier[]>, model: string, channel: ChannelView): void {
  const tiers = models.get(model) ?? [];
  models.set(model, tiers);
  const last = tiers.at(-1);
  if (last?.priority === channel.priority) {
    tiers[tiers.length - 1] = { ...last, channels: [...last.channels, channel] };
  } else {
    tiers.push({ priority: channel.priority, channels: [channel] });
  }
}
