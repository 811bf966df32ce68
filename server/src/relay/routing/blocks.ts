/** Which channels and keys are passed over for calls of a model, and why. */

import type { ChannelView, Tier } from "#ports/snapshot.ts";
import { keyMarksOf } from "#relay/places/order.ts";
import type { Block } from "./circuit.ts";
import type { Health } from "./health.ts";

/** Says why a key may not be used for a model; null: it may be. */
export function keyBlock(
  health: Health,
  channel: ChannelView,
  keyMark: number,
  model: string,
): Block | null {
  return (
    health.keyBlockOf(channel.id, keyMark, model) ?? health.uses.blockOf(channel, keyMark, model)
  );
}

/** Says why a channel may not be tried for a model, be it that none of its keys may; null: it may be. */
export function channelBlock(health: Health, channel: ChannelView, model: string): Block | null {
  const block = health.blockOf(channel.id, model);
  if (block !== null) return block;
  if (!health.hasBlockedKeys(channel.id) && !health.uses.anyFull()) return null;
  let soonest: Block | null = null;
  for (const mark of keyMarksOf(channel)) {
    const own = keyBlock(health, channel, mark, model);
    if (own === null) return null;
    if (soonest === null || own.until < soonest.until) soonest = own;
  }
  return soonest;
}

const noBlocks: ReadonlyMap<number, Block> = new Map();

/**
 * Returns the channels to skip. At most half of a model's channels are skipped as ejected, so that
 * a fault that hits all of them alike, such as one kind of call failing everywhere, does not take
 * the model offline.
 */
export function blocksOf(
  tiers: readonly Tier[],
  health: Health,
  model: string,
): ReadonlyMap<number, Block> {
  if (!health.anyBlocked()) return noBlocks;
  const blocks = new Map<number, Block>();
  const ejected: { readonly id: number; readonly until: number }[] = [];
  let count = 0;
  for (const tier of tiers) {
    for (const channel of tier.channels) {
      count += 1;
      const { id } = channel;
      const block = channelBlock(health, channel, model);
      if (block === null) continue;
      blocks.set(id, block);
      const isOut = block.kind === "ejected" || block.kind === "probing";
      if (isOut) ejected.push({ id, until: block.until });
    }
  }
  const ejectedMax = Math.floor(count / 2);
  if (ejected.length > ejectedMax) {
    ejected.sort((a, b) => b.until - a.until);
    for (const { id } of ejected.slice(ejectedMax)) blocks.delete(id);
  }
  return blocks;
}
