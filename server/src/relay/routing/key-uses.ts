/**
 * Counts what each key of a channel is asked, so that it is not sent what it would refuse: by the
 * limits that somebody has typed, and by those that the upstream tells in its answers.
 */

import type { ToldLimits } from "#network/told-limits.ts";
import type { ChannelView, KeyLimits } from "#ports/snapshot.ts";
import type { Block } from "./circuit.ts";

const minuteMs = 60_000;
/** How many models of a key are known by their limits. */
const modelsMax = 1_000;

/** What is left by the upstream's own words. */
type Left = { requests: number; requestsUntil: number; tokens: number; tokensUntil: number };

/** What a key is asked. Times are monotonic milliseconds. */
export type KeyUse = {
  /** Null: nobody has typed any. */
  limits: KeyLimits | null;
  running: number;
  /** When the present minute began; what the one before had counts with what is left of it. */
  minuteAt: number;
  requests: number;
  requestsBefore: number;
  tokens: number;
  tokensBefore: number;
  /** By the model that clients name. */
  readonly left: Map<string, Left>;
};

type Key = Pick<ChannelView, "id" | "keyLimits">;

export type KeyUses = {
  /** Says by which limit the key may not be used now; null: by none. */
  blockOf(channel: Key, keyMark: number, model: string): Block | null;
  /** Whether any key has come to a limit. */
  anyFull(): boolean;
  /**
   * Counts a call that begins.
   *
   * @param tokens about how many tokens its prompt has.
   * @returns null: nothing of the key is limited.
   */
  started(channel: Key, keyMark: number, model: string, tokens: number): KeyUse | null;
  /**
   * Counts the end of a call.
   *
   * @param tokens how many tokens it had more than was said at its beginning.
   */
  ended(use: KeyUse, tokens: number): void;
  /** Notes what an upstream has said is left. */
  told(channel: Key, keyMark: number, model: string, told: ToldLimits, nowUnixMs: number): void;
  keep(known: (channelId: number) => boolean): void;
};

type State = {
  readonly nowMs: () => number;
  readonly channels: Map<number, Map<number, KeyUse>>;
  readonly full: Set<KeyUse>;
};

export function openKeyUses(nowMs: () => number): KeyUses {
  const state: State = { nowMs, channels: new Map(), full: new Set() };
  const { channels, full } = state;
  return {
    blockOf: (channel, keyMark, model) => blockOf(state, channel, keyMark, model),
    anyFull: () => full.size > 0,
    started(channel, keyMark, model, tokens) {
      const known = channels.get(channel.id)?.get(keyMark);
      if (known === undefined && channel.keyLimits === null) return null;
      const use = known ?? useOf(state, channel.id, keyMark);
      use.limits = channel.keyLimits;
      count(use, model, tokens, nowMs());
      if (limitOf(use, model, nowMs()) !== null) full.add(use);
      return use;
    },
    ended(use, tokens) {
      use.running -= 1;
      use.tokens = Math.max(0, use.tokens + tokens);
      if (limitOf(use, "", nowMs()) !== null) full.add(use);
    },
    told(channel, keyMark, model, told, nowUnixMs) {
      const use = useOf(state, channel.id, keyMark);
      noteTold(use, model, told, { nowMs: nowMs(), nowUnixMs });
      if (limitOf(use, model, nowMs()) !== null) full.add(use);
    },
    keep(known) {
      for (const [id, uses] of channels) {
        if (known(id)) continue;
        channels.delete(id);
        for (const use of uses.values()) full.delete(use);
      }
    },
  };
}

function useOf({ channels, nowMs }: State, channelId: number, keyMark: number): KeyUse {
  const keys = channels.get(channelId) ?? new Map<number, KeyUse>();
  channels.set(channelId, keys);
  const known = keys.get(keyMark);
  if (known !== undefined) return known;
  const fresh: KeyUse = {
    limits: null,
    running: 0,
    minuteAt: nowMs(),
    requests: 0,
    requestsBefore: 0,
    tokens: 0,
    tokensBefore: 0,
    left: new Map(),
  };
  keys.set(keyMark, fresh);
  return fresh;
}

function blockOf(
  { channels, full, nowMs }: State,
  { id }: Key,
  keyMark: number,
  model: string,
): Block | null {
  if (full.size === 0) return null;
  const use = channels.get(id)?.get(keyMark);
  if (use === undefined || !full.has(use)) return null;
  const now = nowMs();
  const until = limitOf(use, model, now);
  if (until !== null) return { kind: "limit", until };
  if (![...use.left.keys()].some((other) => limitOf(use, other, now) !== null)) full.delete(use);
  return null;
}

function count(use: KeyUse, model: string, tokens: number, now: number): void {
  turnMinute(use, now);
  use.running += 1;
  use.requests += 1;
  use.tokens += tokens;
  const left = use.left.get(model);
  if (left === undefined) return;
  left.requests -= 1;
  left.tokens -= tokens;
}

function turnMinute(use: KeyUse, now: number): void {
  const passed = now - use.minuteAt;
  if (passed < minuteMs) return;
  const isNext = passed < 2 * minuteMs;
  use.requestsBefore = isNext ? use.requests : 0;
  use.tokensBefore = isNext ? use.tokens : 0;
  use.requests = 0;
  use.tokens = 0;
  use.minuteAt = isNext ? use.minuteAt + minuteMs : now;
}

/** Returns until when the key has come to a limit; null: it has not. */
function limitOf(use: KeyUse, model: string, now: number): number | null {
  const left = use.left.get(model);
  if (left !== undefined) {
    if (left.requests <= 0 && left.requestsUntil > now) return left.requestsUntil;
    if (left.tokens <= 0 && left.tokensUntil > now) return left.tokensUntil;
  }
  const { limits } = use;
  if (limits === null) return null;
  turnMinute(use, now);
  if (limits.calls > 0 && use.running >= limits.calls) return Infinity;
  const before = 1 - (now - use.minuteAt) / minuteMs;
  const requests = use.requests + use.requestsBefore * before;
  const tokens = use.tokens + use.tokensBefore * before;
  const isOver =
    (limits.requests > 0 && requests >= limits.requests) ||
    (limits.tokens > 0 && tokens >= limits.tokens);
  return isOver ? use.minuteAt + minuteMs : null;
}

type Now = { readonly nowMs: number; readonly nowUnixMs: number };

function noteTold(use: KeyUse, model: string, told: ToldLimits, now: Now): void {
  if (use.left.size >= modelsMax) use.left.clear();
  use.left.set(model, {
    requests: countOf(told.requestsLeft),
    requestsUntil: endOf(told.requestsReset, now),
    tokens: countOf(told.tokensLeft),
    tokensUntil: endOf(told.tokensReset, now),
  });
}

/** Infinity: it is not known. */
function countOf(text: string | null): number {
  const isCount = text !== null && /^\d{1,15}$/.test(text);
  return isCount ? Number(text) : Infinity;
}

/** The longest time for which a limit is believed to last. */
const resetMsMax = 60 * minuteMs;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: minuteMs, h: 60 * minuteMs };

/**
 * Reads when a limit is reset: a time (RFC 3339), a length such as `6m0s` and `20ms`, or seconds.
 * Returns monotonic milliseconds; 0: it is not known.
 */
function endOf(text: string | null, { nowMs, nowUnixMs }: Now): number {
  if (text === null || text.length > 40) return 0;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return ending(nowMs, Number(text) * 1_000);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? 0 : ending(nowMs, at - nowUnixMs);
  }
  let length = 0;
  for (const [, figure = "", unit = ""] of text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g)) {
    length += Number(figure) * (units[unit] ?? 0);
  }
  return ending(nowMs, length);
}

function ending(nowMs: number, length: number): number {
  return nowMs + Math.min(Math.max(0, length), resetMsMax);
}
