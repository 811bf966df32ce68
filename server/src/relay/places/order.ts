/**
 * The order in which a conversation would go to channels and keys: by rendezvous hashing, so that all
 * nodes agree without telling each other. A channel that comes or goes moves its share alone.
 */

import type { ChannelView } from "#ports/snapshot.ts";

const twoTo32 = 2 ** 32;

/** Spreads what two numbers have in common over 32 bits. */
function mixed(conversation: number, other: number): number {
  const high = Math.floor(conversation / twoTo32);
  return scattered((conversation >>> 0) ^ scattered(high ^ scattered(other)));
}

/** The last steps of MurmurHash3, after a step that takes 0 apart. */
function scattered(value: number): number {
  let hash = (value + 0x9e3779b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Finds the first channel in the order of a conversation: each has the share of conversations that
 * its weight gives it, and all have the same if all weights are 0.
 */
export function firstInOrder(
  channels: readonly ChannelView[],
  conversation: number,
): ChannelView | undefined {
  let best: ChannelView | undefined;
  let bestDelay = Infinity;
  let isWeighted = false;
  for (const { weight } of channels) if (weight > 0) isWeighted = true;
  for (const channel of channels) {
    const weight = isWeighted ? channel.weight : 1;
    if (weight === 0) continue;
    // The first of several who wait at random: each is the first by its share.
    const delay = -Math.log((mixed(conversation, channel.id) + 0.5) / twoTo32) / weight;
    if (delay >= bestDelay) continue;
    best = channel;
    bestDelay = delay;
  }
  return best;
}

const keyMarks = new WeakMap<ChannelView, readonly number[]>();

/** Returns what stands for each key of a channel in the order; nobody finds the key by it. */
export function keyMarksOf(channel: ChannelView): readonly number[] {
  const known = keyMarks.get(channel);
  if (known !== undefined) return known;
  const made = channel.keys.map((key) => Bun.hash.xxHash32(key, channel.id));
  keyMarks.set(channel, made);
  return made;
}

/** Returns what stands for a key of a channel on every node; 0: the channel does not have it. */
export function keyMarkOf(channel: ChannelView, key: string): number {
  const at = channel.keys.length === 1 ? 0 : channel.keys.indexOf(key);
  return keyMarksOf(channel)[at] ?? 0;
}

/** Finds a key by what stands for it. Undefined: the channel does not have it. */
export function keyOfMark(channel: ChannelView, mark: number): string | undefined {
  return channel.keys[keyMarksOf(channel).indexOf(mark)];
}

/**
 * Finds a key of a channel in the order of a conversation.
 *
 * @param after how many keys to pass over.
 * @param isOpen whether the key may be used; by default all may.
 */
export function keyInOrder(
  channel: ChannelView,
  conversation: number,
  after = 0,
  isOpen?: (mark: number) => boolean,
): string | undefined {
  const { keys } = channel;
  if (keys.length <= 1 && isOpen === undefined) return after === 0 ? keys[0] : undefined;
  const marks = keyMarksOf(channel);
  let passed = Infinity;
  let found = -1;
  for (let turn = 0; turn <= after; turn += 1) {
    found = -1;
    let best = -1;
    for (const [at, mark] of marks.entries()) {
      if (isOpen !== undefined && !isOpen(mark)) continue;
      const rank = mixed(conversation, mark);
      if (rank >= passed || rank <= best) continue;
      found = at;
      best = rank;
    }
    if (found < 0) return undefined;
    passed = best;
  }
  return keys[found];
}
