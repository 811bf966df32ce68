/**
 * Keeps a conversation where its prompt is cached: at the channel and key that come first in its
 * order. It leaves them only while they cannot take it, and goes back while the cache there may
 * still have it, or when what it has elsewhere is gone as well.
 */

import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { ChannelView, Tier } from "#ports/snapshot.ts";
import { conversationIn, isDrawn, isFirst, type Turn } from "./conversation.ts";
import { channelBlock, keyBlock } from "#relay/routing/blocks.ts";
import { cameAgain } from "./moved-cost.ts";
import { firstInOrder, keyInOrder, keyMarkOf, keyOfMark } from "./order.ts";

/** How long providers keep a prompt unless a request says something else, and where it says so. */
const cacheMs = 5 * 60_000;
const cacheHourMs = 60 * 60_000;
const hourWord = Buffer.from('"1h"');

type Placing = Pick<RelayState, "deps" | "health" | "moved">;

/** Returns the conversation whose place counts for a choice; 0: the channel is drawn. */
export function placedIn(turn: Turn | undefined): number {
  return turn === undefined || isDrawn(turn) ? 0 : conversationIn(turn);
}

/** Finds the channel that a conversation would go to if all could take it. */
function homeOf(tiers: readonly Tier[], conversation: number): ChannelView | undefined {
  for (const { channels } of tiers) {
    if (channels.length > 0) return firstInOrder(channels, conversation);
  }
  return undefined;
}

/** Finds the channel at which a conversation stays that had to move; undefined: its own place is right. */
export function stayingAt(
  state: Placing,
  conversation: number,
  tiers: readonly Tier[],
  model: string,
): ChannelView | undefined {
  const was = state.moved.find(conversation);
  if (was === undefined) return undefined;
  const nowMs = state.deps.ticker.nowMs();
  if (nowMs - was.lastMs >= was.cacheMs) return undefined;
  const isShort = nowMs - was.leftMs < was.cacheMs;
  if (isShort && isHomeOpen(state, homeOf(tiers, conversation), conversation, model)) {
    return undefined;
  }
  for (const { channels } of tiers) {
    for (const channel of channels) {
      if (channel.id !== was.channelId) continue;
      return isOpen(state, channel, was.keyMark, model) ? channel : undefined;
    }
  }
  return undefined;
}

/** Whether a channel can take a conversation with the key that comes first. */
function isHomeOpen(
  state: Placing,
  home: ChannelView | undefined,
  conversation: number,
  model: string,
): boolean {
  const key = home === undefined ? undefined : keyInOrder(home, conversation);
  if (home === undefined || key === undefined) return false;
  return isOpen(state, home, keyMarkOf(home, key), model);
}

function isOpen({ health }: Placing, channel: ChannelView, mark: number, model: string): boolean {
  if (!health.anyBlocked()) return true;
  return (
    health.blockOf(channel.id, model) === null && keyBlock(health, channel, mark, model) === null
  );
}

type PlacedCall = Pick<
  OpenCall,
  "bound" | "bytes" | "cameAgain" | "leftMs" | "model" | "placement" | "plan" | "tried" | "turn"
>;

/**
 * Chooses the key for an attempt of a call whose conversation has a place, and notes how it was placed;
 * undefined: any key is as good.
 */
export function placedKey(
  state: Placing,
  call: PlacedCall,
  channel: ChannelView,
): string | undefined {
  const { model, plan, tried, turn } = call;
  const conversation = placedIn(turn);
  if (conversation === 0) return undefined;
  const times = timesIn(tried, channel);
  const kept = times === 0 ? keptKey(state, channel, conversation, plan.tiers, model) : undefined;
  return kept ?? openKey(state, channel, { conversation, model, times });
}

/** Finds the key at which a conversation stays that had to move; undefined: not at this channel. */
function keptKey(
  state: Placing,
  channel: ChannelView,
  conversation: number,
  tiers: readonly Tier[],
  model: string,
): string | undefined {
  const was = state.moved.find(conversation);
  if (was?.channelId !== channel.id) return undefined;
  if (stayingAt(state, conversation, tiers, model) !== channel) return undefined;
  return keyOfMark(channel, was.keyMark);
}

/** Finds the key of a channel that a conversation's next call would take; undefined: none can. */
export function keyOfNext(
  state: Placing,
  channel: ChannelView,
  conversation: number,
  tiers: readonly Tier[],
  model: string,
): string | undefined {
  const isFree = (mark: number): boolean => keyBlock(state.health, channel, mark, model) === null;
  return (
    keptKey(state, channel, conversation, tiers, model) ??
    keyInOrder(channel, conversation, 0, isFree)
  );
}

/** Finds the key that comes first among those that can take a call; if none can, the first of all. */
function openKey(
  { health }: Placing,
  channel: ChannelView,
  {
    conversation,
    model,
    times,
  }: { readonly conversation: number; readonly model: string; readonly times: number },
): string | undefined {
  const free = health.anyBlocked()
    ? keyInOrder(
        channel,
        conversation,
        0,
        (mark) => keyBlock(health, channel, mark, model) === null,
      )
    : undefined;
  return free ?? keyInOrder(channel, conversation, times);
}

function timesIn(tried: readonly ChannelView[], channel: ChannelView): number {
  let times = 0;
  for (const { id } of tried) if (id === channel.id) times += 1;
  return times;
}

/** Notes how an attempt of a call was placed, before the attempt is made. */
export function notePlace(
  state: Placing,
  call: PlacedCall,
  channel: ChannelView,
  key: string,
): void {
  const { bound, plan, turn } = call;
  call.cameAgain = 0;
  if (turn === 0) return;
  const conversation = placedIn(turn);
  if (conversation === 0) {
    call.placement = "first";
    return;
  }
  if (bound !== null) {
    call.placement = "issuer";
    return;
  }
  const home = homeOf(plan.tiers, conversation);
  const was = state.moved.find(conversation);
  if (home?.id === channel.id && keyInOrder(home, conversation) === key) {
    if (was !== undefined) {
      state.moved.forget(conversation);
      call.leftMs = was.leftMs;
    }
    // What came since it left is not in the cache here.
    if (call.leftMs !== null && !isFirst(turn)) call.cameAgain = cameAgain(call.bytes);
    call.placement = isFirst(turn) ? "first" : was === undefined ? "stayed" : "back";
    return;
  }
  const keyMark = keyMarkOf(channel, key);
  const isStaying = was?.channelId === channel.id && was.keyMark === keyMark;
  const nowMs = state.deps.ticker.nowMs();
  call.placement = isStaying ? "away" : whyMoved(state, call, home);
  if (!isStaying && !isFirst(turn)) call.cameAgain = cameAgain(call.bytes);
  state.moved.note(conversation, {
    channelId: channel.id,
    keyMark,
    leftMs: was?.leftMs ?? call.leftMs ?? nowMs,
    lastMs: nowMs,
    cacheMs: isAskedForHour(call.bytes) ? cacheHourMs : cacheMs,
  });
}

function isAskedForHour(bytes: Uint8Array): boolean {
  return Buffer.prototype.includes.call(bytes, hourWord);
}

/** Says why a conversation is not at its own place, with the time until which that is so. */
function whyMoved(
  { deps, health }: Placing,
  { model, tried, turn }: PlacedCall,
  home: ChannelView | undefined,
): string {
  if (home === undefined) return "moved";
  const key = keyInOrder(home, conversationIn(turn)) ?? "";
  const block =
    channelBlock(health, home, model) ?? keyBlock(health, home, keyMarkOf(home, key), model);
  if (block?.kind === "limit") return "overflow";
  if (tried.some(({ id }) => id === home.id)) return "moved failed";
  if (block === null) return "moved";
  const until = Math.ceil((deps.now() + block.until - deps.ticker.nowMs()) / 1_000);
  return block.kind === "probing" ? "moved probing" : `moved ${block.kind} ${until}`;
}
