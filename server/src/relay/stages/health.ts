/**
 * What recent calls say about each channel: whether it may be tried just now, and whether a call
 * that failed there may try another. Time is passed in, so its tests decide every case.
 */

/** How an attempt at a channel ended, as far as the channel is concerned. */
export type AttemptEnd =
  /** It answered, be it to say that the call was wrong. */
  | { readonly kind: "answered" }
  /** It failed. `retryAfterMs`: the pause it asked for; null: none. */
  | { readonly kind: "failed"; readonly retryAfterMs: number | null }
  /** Nobody waited for the answer. */
  | { readonly kind: "unknown" };

/** Why a channel is not to be tried. `until` is monotonic milliseconds. */
export type Block =
  /** It asked for a pause. */
  | { readonly kind: "cooling"; readonly until: number }
  /** It kept failing. */
  | { readonly kind: "ejected"; readonly until: number }
  /** Its time is up, and one call is finding out whether it works again. */
  | { readonly kind: "probing"; readonly until: number };

export type Health = {
  /** Null: the channel may be tried. */
  blockOf(channelId: number): Block | null;
  /** Whether any channel has a block: none has, mostly. */
  anyBlocked(): boolean;
  /** Call once before each attempt and `ended` once after it. */
  started(channelId: number): void;
  ended(channelId: number, end: AttemptEnd): void;
  /** Failed in the middle of an answer that had begun well. */
  broke(channelId: number): void;
  /** Takes one retry from what failures at this channel may cost others. */
  mayRetry(channelId: number): boolean;
  /** Forgets channels that are gone. */
  keep(known: (channelId: number) => boolean): void;
  /** Channels ejected at the moment, for the metrics. */
  ejectedCount(): number;
};

/** Longest pause a channel is granted, whatever it asked for. */
export const coolDownMsMax = 60_000;
/** Failures in a row that eject a channel. */
export const failuresInRowMax = 5;
/** The same for a channel that works now and then: so many failures of its last calls. */
export const recentFailuresMax = 10;
export const recentCalls = 20;
/** First ejection; the n-th in a row lasts n times as long. */
export const ejectionMs = 30_000;
export const ejectionMsMax = 300_000;
/** Retries: one for ten calls of the channel, but three a second in any case. */
const callsPerRetry = 10;
const retriesPerSecond = 3;
/** Retries that may be saved up. */
const retrySavingsMax = 10;

type ChannelHealth = {
  failuresInRow: number;
  /** The last calls, newest in the lowest bit; 1: failed. */
  recent: number;
  recentCount: number;
  coolUntil: number;
  /** 0: not ejected. Kept after its time until a probe has said yes. */
  ejectedUntil: number;
  /** Ejections in a row. */
  ejections: number;
  probing: boolean;
  /** Until when the last ejection lasted. */
  lastEjectedUntil: number;
  /** In calls: `callsPerRetry` of them make a retry. */
  savings: number;
  savingsAtMs: number;
};

const recentMask = (1 << recentCalls) - 1;

type HealthState = {
  readonly nowMs: () => number;
  readonly channels: Map<number, ChannelHealth>;
  /** Channels whose `coolUntil` or `ejectedUntil` is set. */
  readonly blocked: Set<number>;
};

export function openHealth(nowMs: () => number): Health {
  const state: HealthState = { nowMs, channels: new Map(), blocked: new Set() };
  const { channels, blocked } = state;
  return {
    blockOf: (channelId) => blockOf(state, channelId),
    anyBlocked: () => blocked.size > 0,
    started(channelId) {
      const channel = find(state, channelId);
      save(channel, nowMs(), 1);
      if (channel.ejectedUntil !== 0 && channel.ejectedUntil <= nowMs()) channel.probing = true;
    },
    ended(channelId, end) {
      find(state, channelId).probing = false;
      if (end.kind === "failed") fail(state, channelId, end.retryAfterMs);
      if (end.kind === "answered") succeed(find(state, channelId), nowMs());
    },
    broke: (channelId) => fail(state, channelId, null),
    mayRetry(channelId) {
      const channel = find(state, channelId);
      save(channel, nowMs(), 0);
      if (channel.savings < callsPerRetry) return false;
      channel.savings -= callsPerRetry;
      return true;
    },
    keep(known) {
      for (const id of channels.keys()) {
        if (known(id)) continue;
        channels.delete(id);
        blocked.delete(id);
      }
    },
    ejectedCount: () =>
      [...blocked].filter((id) => (channels.get(id)?.ejectedUntil ?? 0) > nowMs()).length,
  };
}

function find({ channels, nowMs }: HealthState, channelId: number): ChannelHealth {
  const known = channels.get(channelId);
  if (known !== undefined) return known;
  const fresh = freshHealth(nowMs());
  channels.set(channelId, fresh);
  return fresh;
}

function blockOf(state: HealthState, channelId: number): Block | null {
  if (!state.blocked.has(channelId)) return null;
  const { coolUntil, ejectedUntil, probing } = find(state, channelId);
  const now = state.nowMs();
  if (ejectedUntil > now) return { kind: "ejected", until: ejectedUntil };
  if (coolUntil > now) return { kind: "cooling", until: coolUntil };
  if (ejectedUntil !== 0) return probing ? { kind: "probing", until: now } : null;
  state.blocked.delete(channelId);
  return null;
}

function fail(state: HealthState, channelId: number, retryAfterMs: number | null): void {
  const channel = find(state, channelId);
  const now = state.nowMs();
  note(channel, 1);
  channel.failuresInRow += 1;
  if (retryAfterMs !== null && retryAfterMs > 0) {
    channel.coolUntil = now + Math.min(retryAfterMs, coolDownMsMax);
    state.blocked.add(channelId);
  }
  const probeFailed = channel.ejectedUntil !== 0 && channel.ejectedUntil <= now;
  const failing =
    channel.failuresInRow >= failuresInRowMax ||
    (channel.recentCount >= recentCalls && bitCount(channel.recent) >= recentFailuresMax);
  if (probeFailed || (failing && channel.ejectedUntil === 0)) {
    eject(channel, now);
    state.blocked.add(channelId);
  }
}

function succeed(channel: ChannelHealth, now: number): void {
  note(channel, 0);
  channel.failuresInRow = 0;
  // An answer to a call that began before the ejection says nothing about now.
  if (channel.ejectedUntil !== 0 && channel.ejectedUntil <= now) recover(channel);
}

function freshHealth(now: number): ChannelHealth {
  return {
    failuresInRow: 0,
    recent: 0,
    recentCount: 0,
    coolUntil: 0,
    ejectedUntil: 0,
    ejections: 0,
    probing: false,
    lastEjectedUntil: -Infinity,
    savings: retrySavingsMax * callsPerRetry,
    savingsAtMs: now,
  };
}

function note(channel: ChannelHealth, bit: 0 | 1): void {
  channel.recent = ((channel.recent << 1) | bit) & recentMask;
  if (channel.recentCount < recentCalls) channel.recentCount += 1;
}

/** An ejection soon after the one before lasts longer. */
function eject(channel: ChannelHealth, now: number): void {
  const soon = now - channel.lastEjectedUntil < ejectionMsMax;
  channel.ejections = soon ? channel.ejections + 1 : 1;
  channel.ejectedUntil = now + Math.min(ejectionMs * channel.ejections, ejectionMsMax);
  channel.lastEjectedUntil = channel.ejectedUntil;
  forgetCalls(channel);
}

function recover(channel: ChannelHealth): void {
  channel.ejectedUntil = 0;
  forgetCalls(channel);
}

function forgetCalls(channel: ChannelHealth): void {
  channel.failuresInRow = 0;
  channel.recent = 0;
  channel.recentCount = 0;
}

function save(channel: ChannelHealth, now: number, calls: number): void {
  const seconds = (now - channel.savingsAtMs) / 1_000;
  const earned = seconds * retriesPerSecond * callsPerRetry + calls;
  channel.savings = Math.min(channel.savings + earned, retrySavingsMax * callsPerRetry);
  channel.savingsAtMs = now;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
