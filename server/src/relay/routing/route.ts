/**
 * Chooses the channel to try next: among the channels of the highest priority that has one left, by
 * weight, or by the order of the call's conversation. Channels in cooldown or ejected are skipped while there are others.
 */

import { blocksOf } from "./blocks.ts";
import type { Block } from "./circuit.ts";
import type { Health } from "./health.ts";
import type { ChannelView, Tier } from "#ports/snapshot.ts";
import { firstInOrder } from "#relay/places/order.ts";

type Choice = {
  readonly tiers: readonly Tier[];
  /** The channels that were tried so far, in order. */
  readonly tried: readonly ChannelView[];
  readonly health: Health;
  /** In the range [0, 1). */
  readonly random: () => number;
  /** The conversation in whose order channels are chosen; absent or 0: they are drawn. */
  readonly conversation?: number;
  /** The model that the client names; absent: none, so that no model's health counts. */
  readonly model?: string;
};

/**
 * Chooses the channel to try next; undefined: none is left. A channel is tried at most once for
 * each of its keys. If all that are left are blocked, the one whose block ends first is tried: an
 * installation with one channel must not stop because of one bad minute.
 */
export function chooseChannel(choice: Choice): ChannelView | undefined {
  const { tiers, tried, health } = choice;
  if (tried.length === 0 && !health.anyBlocked()) return firstChannel(tiers, choice);
  return nextChannel(choice);
}

function nextChannel(choice: Choice): ChannelView | undefined {
  const { tiers, tried, health, model = "" } = choice;
  const blocks = blocksOf(tiers, health, model);
  const isUntried = (channel: ChannelView): boolean =>
    tried.length === 0 || timesTried(tried, channel) === 0;
  const hasKeyLeft = (channel: ChannelView): boolean =>
    timesTried(tried, channel) < channel.keys.length;
  return (
    firstOf(tiers, (channel) => isUntried(channel) && !blocks.has(channel.id), choice) ??
    soonest(tiers, blocks, isUntried) ??
    firstOf(tiers, (channel) => hasKeyLeft(channel) && !blocks.has(channel.id), choice)
  );
}

/** Where a channel stands for calls of a group and model that begin now. */
type Standing =
  /** It is chosen for this share of the first attempts, above 0. */
  | { readonly kind: "used"; readonly share: number }
  /** Channels of a higher priority are chosen; this one is tried when they fail. */
  | { readonly kind: "reserve" }
  /** Its weight is 0 and that of others of its priority is not, so these are chosen. */
  | { readonly kind: "weightless" }
  | Block;

/**
 * Says where a channel of the tiers stands, by the same rules as `chooseChannel`: what it says of
 * the first attempt of a call that begins now is what that call does.
 */
export function standingOf(
  tiers: readonly Tier[],
  channel: ChannelView,
  health: Health,
  model = "",
): Standing {
  const blocks = blocksOf(tiers, health, model);
  for (const tier of tiers) {
    const free = tier.channels.filter(({ id }) => !blocks.has(id));
    if (free.length === 0) continue;
    if (!free.includes(channel)) break;
    const share = shareOf(channel, free);
    return share > 0 ? { kind: "used", share } : { kind: "weightless" };
  }
  const block = blocks.get(channel.id);
  if (block === undefined) return { kind: "reserve" };
  const isAnyFree = tiers.some(({ channels }) => channels.some(({ id }) => !blocks.has(id)));
  // All are blocked, so the one whose block ends first is tried nevertheless.
  const isLast = !isAnyFree && soonest(tiers, blocks, () => true) === channel;
  return isLast ? { kind: "used", share: 1 } : block;
}

/** The share of the choices of `chooseByWeight` that this channel gets. */
function shareOf(channel: ChannelView, among: readonly ChannelView[]): number {
  let total = 0;
  for (const { weight } of among) total += weight;
  if (among.length === 1 || total === 0) return 1 / among.length;
  return channel.weight / total;
}

/** Chooses among all channels: the way of nearly every call. */
function firstChannel(tiers: readonly Tier[], by: Draw): ChannelView | undefined {
  for (const { channels } of tiers) {
    if (channels.length > 0) return chooseAmong(channels, by);
  }
  return undefined;
}

function firstOf(
  tiers: readonly Tier[],
  fits: (channel: ChannelView) => boolean,
  by: Draw,
): ChannelView | undefined {
  for (const { channels } of tiers) {
    const chosen = chooseAmong(channels.filter(fits), by);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

function timesTried(tried: readonly ChannelView[], channel: ChannelView): number {
  let times = 0;
  for (const other of tried) if (other.id === channel.id) times += 1;
  return times;
}

/** How one of several equal channels is chosen. */
type Draw = Pick<Choice, "conversation" | "random">;

function chooseAmong(
  channels: readonly ChannelView[],
  { conversation = 0, random }: Draw,
): ChannelView | undefined {
  if (conversation === 0) return chooseByWeight(channels, random);
  return firstInOrder(channels, conversation);
}

/** Chooses a channel at random by weight; with equal chances if all weights are 0. */
function chooseByWeight(
  channels: readonly ChannelView[],
  random: () => number,
): ChannelView | undefined {
  if (channels.length <= 1) return channels[0];
  let total = 0;
  for (const channel of channels) total += channel.weight;
  if (total === 0) return channels[Math.floor(random() * channels.length)];
  let left = random() * total;
  for (const channel of channels) {
    left -= channel.weight;
    if (left < 0) return channel;
  }
  return channels.findLast((channel) => channel.weight > 0);
}

/**
 * Returns the blocked channel whose block ends first. A channel that is being probed comes last.
 */
function soonest(
  tiers: readonly Tier[],
  blocks: ReadonlyMap<number, Block>,
  isLeft: (channel: ChannelView) => boolean,
): ChannelView | undefined {
  let best: ChannelView | undefined;
  let bestUntil = Infinity;
  for (const tier of tiers) {
    for (const channel of tier.channels) {
      const block = blocks.get(channel.id);
      if (block === undefined || !isLeft(channel)) continue;
      const until = block.kind === "probing" ? Number.MAX_VALUE : block.until;
      if (until >= bestUntil) continue;
      best = channel;
      bestUntil = until;
    }
  }
  return best;
}

/** Chooses the keys of a channel in turn, one for each attempt. */
export type KeyRotation = {
  next(channel: ChannelView): string;
  keep(known: (channelId: number) => boolean): void;
};

export function openKeyRotation(): KeyRotation {
  const turns = new Map<number, number>();
  return {
    next(channel) {
      if (channel.keys.length <= 1) return channel.keys[0] ?? "";
      const turn = turns.get(channel.id) ?? 0;
      turns.set(channel.id, (turn + 1) % channel.keys.length);
      return channel.keys[turn % channel.keys.length] ?? "";
    },
    keep(known) {
      for (const id of turns.keys()) if (!known(id)) turns.delete(id);
    },
  };
}
