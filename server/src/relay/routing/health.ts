/**
 * Health of channels, judged from their recent calls: whether a channel may be tried, and whether a
 * call that failed there may be retried at another. The clock is passed in.
 */

/** How an attempt ended, as far as the channel's health is concerned. */
type AttemptEnd =
  /** The channel gave an answer, even if that was a refusal of the call. */
  | { readonly kind: "answered" }
  /** The channel failed. `retryAfterMs`: the pause that it requested; null: none. */
  | { readonly kind: "failed"; readonly retryAfterMs: number | null }
  /** The attempt was cancelled, so it says nothing about the channel. */
  | { readonly kind: "unknown" };

/** Why a channel may not be tried. `until` is monotonic milliseconds. */
export type Block =
  /** The channel requested a pause, which is not over. */
  | { readonly kind: "cooldown"; readonly until: number }
  /** The channel kept failing and is not tried for a while. */
  | { readonly kind: "ejected"; readonly until: number }
  /** The ejection is over, and one call is probing whether the channel works. */
  | { readonly kind: "probing"; readonly until: number };

export type Health = {
  /** Says why the channel may not be tried; null: it may be. */
  blockOf(channelId: number): Block | null;
  /**
   * Whether any channel is in cooldown or ejected. Usually none is, and callers then need not look
   * at each channel.
   */
  anyBlocked(): boolean;
  /** Notes that an attempt begins. `ended` must follow. */
  started(channelId: number): void;
  ended(channelId: number, end: AttemptEnd): void;
  /** Notes that the channel failed in the middle of an answer. */
  broke(channelId: number): void;
  /**
   * Takes one retry from the channel's budget, if there is one left. The budget limits the load
   * that a channel's failures put on others.
   */
  mayRetry(channelId: number): boolean;
  /** Drops the state of channels that are not `known`, because they were deleted. */
  keep(known: (channelId: number) => boolean): void;
  /** Returns the number of ejected channels, for the metrics. */
  ejectedCount(): number;
};

/** The longest cooldown, even if a channel requests a longer pause. */
export const cooldownMsMax = 60_000;
/** How many failures in a row eject a channel. */
const failuresInRowMax = 5;
/**
 * How many failures among a channel's last `recentCalls` calls eject it, even if they are not in a
 * row.
 */
const recentFailuresMax = 10;
const recentCalls = 20;
/** Length of the first ejection; the n-th in a row lasts n times as long. */
export const ejectionMs = 30_000;
export const ejectionMsMax = 300_000;
/** The retry budget: each channel earns one retry with every ten calls, and three every second. */
const callsPerRetry = 10;
const retriesPerSecond = 3;
/** The largest number of unused retries that a channel can collect. */
const retrySavingsMax = 10;

type ChannelHealth = {
  failuresInRow: number;
  /** Outcomes of the last calls as bits, the newest lowest; 1: failed. */
  recent: number;
  recentCount: number;
  cooldownUntil: number;
  /**
   * When the ejection ends; 0: the channel is not ejected. After that time has passed, the value
   * stays until a probe succeeds.
   */
  ejectedUntil: number;
  /** Number of ejections in a row. */
  ejections: number;
  probing: boolean;
  /** When the last ejection ends or ended. */
  lastEjectedUntil: number;
  /** Unused retry budget, counted in calls: `callsPerRetry` calls are worth one retry. */
  savings: number;
  savingsAtMs: number;
  /** Calls since then, which are not in the savings yet. */
  callsSaved: number;
};

const recentMask = (1 << recentCalls) - 1;

type HealthState = {
  readonly nowMs: () => number;
  readonly channels: Map<number, ChannelHealth>;
  /** Channels whose `cooldownUntil` or `ejectedUntil` is set. */
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
      channel.callsSaved += 1;
      if (channel.ejectedUntil !== 0 && channel.ejectedUntil <= nowMs()) channel.probing = true;
    },
    ended(channelId, end) {
      find(state, channelId).probing = false;
      if (end.kind === "failed") fail(state, channelId, end.retryAfterMs);
      if (end.kind === "answered") succeed(state, find(state, channelId));
    },
    broke: (channelId) => fail(state, channelId, null),
    mayRetry(channelId) {
      const channel = find(state, channelId);
      save(channel, nowMs());
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
  const { cooldownUntil, ejectedUntil, probing } = find(state, channelId);
  const now = state.nowMs();
  if (ejectedUntil > now) return { kind: "ejected", until: ejectedUntil };
  if (cooldownUntil > now) return { kind: "cooldown", until: cooldownUntil };
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
    channel.cooldownUntil = now + Math.min(retryAfterMs, cooldownMsMax);
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

function succeed({ nowMs }: HealthState, channel: ChannelHealth): void {
  note(channel, 0);
  channel.failuresInRow = 0;
  // Only the success of a call sent after the ejection's end shows that the channel works again.
  if (channel.ejectedUntil !== 0 && channel.ejectedUntil <= nowMs()) recover(channel);
}

function freshHealth(now: number): ChannelHealth {
  return {
    failuresInRow: 0,
    recent: 0,
    recentCount: 0,
    cooldownUntil: 0,
    ejectedUntil: 0,
    ejections: 0,
    probing: false,
    lastEjectedUntil: -Infinity,
    savings: retrySavingsMax * callsPerRetry,
    savingsAtMs: now,
    callsSaved: 0,
  };
}

function note(channel: ChannelHealth, bit: 0 | 1): void {
  channel.recent = ((channel.recent << 1) | bit) & recentMask;
  if (channel.recentCount < recentCalls) channel.recentCount += 1;
}

/** Ejects a channel. An ejection soon after the previous one lasts longer. */
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

function save(channel: ChannelHealth, now: number): void {
  const seconds = (now - channel.savingsAtMs) / 1_000;
  const earned = seconds * retriesPerSecond * callsPerRetry + channel.callsSaved;
  channel.savings = Math.min(channel.savings + earned, retrySavingsMax * callsPerRetry);
  channel.savingsAtMs = now;
  channel.callsSaved = 0;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
