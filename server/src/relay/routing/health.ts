/**
 * Health of channels, of their models and of their keys, judged from their recent calls: whether they
 * may be tried, and whether a call that failed there may be retried at another. What is wrong with one
 * model or one key blocks no other. The clock is passed in.
 */

import {
  type Block,
  blockIn,
  type Circuit,
  eject,
  fail,
  hearFailure,
  hearProbe,
  hearSuccess,
  isClosed,
  isHalfOpen,
  openCircuit,
  probe,
  succeed,
} from "./circuit.ts";
import {
  type Circuits,
  circuitsOf,
  hasParts,
  keyCircuits,
  knownPart,
  type Part,
  partOf,
  partsOf,
} from "./channel-circuits.ts";
import type { FaultScope } from "#relay/faults/fault-scope.ts";
import { type HealthHint, isUsedUp, readHint } from "./health-hints.ts";
import { type KeyUses, openKeyUses } from "./key-uses.ts";

/** How an attempt ended, as far as health is concerned. */
type AttemptEnd =
  /** The channel gave an answer, even if that was a refusal of the call. */
  | { readonly kind: "answered" }
  /** It failed. `retryAfterMs`: the pause that was requested; null: none. */
  | {
      readonly kind: "failed";
      readonly retryAfterMs: number | null;
      /** What failed; absent: the channel. */
      readonly scope?: FaultScope;
    }
  /** The attempt was cancelled, so it says nothing. */
  | { readonly kind: "unknown" };

export type Health = {
  /** What keys are asked, which counts beside their health. */
  readonly uses: KeyUses;
  /** Says why the channel may not be tried, for a model or at all; null: it may be. */
  blockOf(channelId: number, model?: string): Block | null;
  /** Says why a key of the channel may not be tried for a model; null: it may be. */
  keyBlockOf(channelId: number, keyMark: number, model: string): Block | null;
  /** Whether any key of the channel is blocked for some model. */
  hasBlockedKeys(channelId: number): boolean;
  /**
   * Whether anything is in cooldown or ejected, or a key at its limit. Usually nothing is, and callers then need not look at
   * each channel.
   */
  anyBlocked(): boolean;
  /** Notes that an attempt begins. `ended` must follow. */
  started(channelId: number, keyMark?: number, model?: string): void;
  ended(channelId: number, end: AttemptEnd, keyMark?: number, model?: string): void;
  /** Takes over what another node has told. */
  heard(hint: unknown): void;
  /** Notes that the channel failed in the middle of an answer. */
  broke(channelId: number, model?: string): void;
  /**
   * Takes one retry from the channel's budget, if there is one left. The budget limits the load
   * that a channel's failures put on others.
   */
  mayRetry(channelId: number): boolean;
  /** Drops the state of channels that are not `known`, because they were deleted. */
  keep(known: (channelId: number) => boolean): void;
  /** Returns the number of channels of which anything is ejected, for the metrics. */
  ejectedCount(): number;
};

/** The retry budget: each channel earns one retry with every ten calls, and three every second. */
const callsPerRetry = 10;
const retriesPerSecond = 3;
/** The largest number of unused retries that a channel can collect. */
const retrySavingsMax = 10;
type ChannelHealth = Circuits & {
  /** The model whose failure came last; empty: there was a success since. */
  failedModel: string;
  /** How many failures of more than one model came in a row. */
  failuresOfModels: number;
  /** Unused retry budget, counted in calls: `callsPerRetry` calls are worth one retry. */
  savings: number;
  savingsAtMs: number;
  /** Calls since then, which are not in the savings yet. */
  callsSaved: number;
};

/** How the other nodes are told. */
type OtherNodes = {
  readonly tell: (hint: HealthHint) => void;
  /** A random number in the range [0, 1). */
  readonly random: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const nobody: OtherNodes = { tell() {}, random: () => 0, now: () => 0 };

type HealthState = {
  readonly nowMs: () => number;
  readonly others: OtherNodes;
  readonly uses: KeyUses;
  readonly channels: Map<number, ChannelHealth>;
  /** The channels of which something may be blocked. */
  readonly blocked: Set<number>;
};

/** @param others absent: there are none. */
export function openHealth(nowMs: () => number, others = nobody): Health {
  const uses = openKeyUses(nowMs);
  const state: HealthState = { nowMs, others, uses, channels: new Map(), blocked: new Set() };
  const { channels, blocked } = state;
  return {
    uses: { ...uses, told: (...said) => noteTold(state, ...said) },
    blockOf: (channelId, model = "") => blockOf(state, channelId, model),
    keyBlockOf: (channelId, keyMark, model) => keyBlockOf(state, channelId, { keyMark, model }),
    hasBlockedKeys: (id) => blocked.has(id) && (channels.get(id)?.keys ?? null) !== null,
    anyBlocked: () => blocked.size > 0 || uses.anyFull(),
    started(channelId, keyMark = 0, model = "") {
      const channel = find(state, channelId);
      channel.callsSaved += 1;
      if (blocked.size === 0 || !blocked.has(channelId)) return;
      for (const [part, circuit] of partsOf(channel, keyMark, model)) {
        if (!probe(circuit, nowMs())) continue;
        others.tell({ channel: channelId, part, keyMark, model, what: "probing" });
      }
    },
    ended(channelId, end, keyMark = 0, model = "") {
      const channel = find(state, channelId);
      channel.circuit.probing = false;
      if (hasParts(channel)) {
        for (const circuit of circuitsOf(channel, keyMark, model)) circuit.probing = false;
      }
      if (end.kind === "failed") noteFailure(state, channelId, end, { keyMark, model });
      if (end.kind !== "answered") return;
      noteSuccess(state, channelId, channel, hasParts(channel) ? { keyMark, model } : noPart);
    },
    heard(said) {
      const hint = readHint(said);
      if (hint !== null) hear(state, hint);
    },
    broke: (channelId, model = "") =>
      noteFailure(
        state,
        channelId,
        { kind: "failed", retryAfterMs: null, scope: model === "" ? "channel" : "model" },
        { keyMark: 0, model },
      ),
    mayRetry(channelId) {
      const channel = find(state, channelId);
      save(channel, nowMs());
      if (channel.savings < callsPerRetry) return false;
      channel.savings -= callsPerRetry;
      return true;
    },
    keep(known) {
      uses.keep(known);
      for (const id of channels.keys()) {
        if (known(id)) continue;
        channels.delete(id);
        blocked.delete(id);
      }
    },
    ejectedCount: () => [...blocked].filter((id) => isEjected(find(state, id), nowMs())).length,
  };
}

function find({ channels, nowMs }: HealthState, channelId: number): ChannelHealth {
  const known = channels.get(channelId);
  if (known !== undefined) return known;
  const fresh: ChannelHealth = {
    circuit: openCircuit(),
    models: null,
    keys: null,
    failedModel: "",
    failuresOfModels: 0,
    savings: retrySavingsMax * callsPerRetry,
    savingsAtMs: nowMs(),
    callsSaved: 0,
  };
  channels.set(channelId, fresh);
  return fresh;
}

function blockOf(state: HealthState, channelId: number, model: string): Block | null {
  if (!state.blocked.has(channelId)) return null;
  const channel = find(state, channelId);
  const now = state.nowMs();
  const part = channel.models?.get(model);
  const block = blockIn(channel.circuit, now) ?? (part === undefined ? null : blockIn(part, now));
  if (block === null) forgetClosed(state, channelId, channel, now);
  return block;
}

function keyBlockOf(state: HealthState, channelId: number, part: Part): Block | null {
  if (!state.blocked.has(channelId)) return null;
  const now = state.nowMs();
  const { whole, ofModel } = keyCircuits(find(state, channelId), part);
  return (whole ? blockIn(whole, now) : null) ?? (ofModel ? blockIn(ofModel, now) : null);
}

/** Drops what has come to rest, so that nobody looks at a channel of which nothing is blocked. */
function forgetClosed(
  { blocked }: HealthState,
  channelId: number,
  channel: ChannelHealth,
  now: number,
): void {
  const isOpen = (circuit: Circuit): boolean => !isClosed(circuit, now);
  const parts = [...(channel.models?.values() ?? []), ...(channel.keys?.values() ?? [])];
  if (!isOpen(channel.circuit) && !parts.some(isOpen)) blocked.delete(channelId);
}

function noteFailure(
  state: HealthState,
  channelId: number,
  { retryAfterMs, scope = "channel" }: AttemptEnd & { readonly kind: "failed" },
  { keyMark, model }: Part,
): void {
  const channel = find(state, channelId);
  const now = state.nowMs();
  const part = { keyMark, model };
  const circuit = partOf(channel, scope, part);
  fail(circuit, now, retryAfterMs, scope === "key-revoked");
  tellFailure(state, channelId, scope, part, circuit);
  if (scope === "model" && countModels(channel, model, now)) {
    tellFailure(state, channelId, "channel", part, channel.circuit);
  }
  const parts = hasParts(channel) ? circuitsOf(channel, keyMark, model) : [circuit];
  if (parts.some((one) => !isClosed(one, now))) state.blocked.add(channelId);
}

function tellFailure(
  { others, nowMs }: HealthState,
  channel: number,
  part: FaultScope,
  { keyMark, model }: Part,
  { cooldownUntil, ejectedUntil, ejections }: Circuit,
): void {
  const left = (until: number): number => Math.max(0, Math.ceil(until - nowMs()));
  others.tell({
    channel,
    part,
    keyMark,
    model,
    what: "failed",
    cooldownMs: left(cooldownUntil),
    ejectedMs: left(ejectedUntil),
    ejections,
  });
}

/** How many failures in a row, of several models, are the channel's. */
const failuresOfModelsMax = 10;

/**
 * Counts a failure of a model: a channel that answers for none of several is broken as a whole.
 *
 * @returns whether it is ejected by that.
 */
function countModels(channel: ChannelHealth, model: string, now: number): boolean {
  const isOther = channel.failedModel !== "" && channel.failedModel !== model;
  if (isOther || channel.failuresOfModels > 0) channel.failuresOfModels += 1;
  channel.failedModel = model;
  if (channel.failuresOfModels < failuresOfModelsMax) return false;
  channel.failuresOfModels = 0;
  if (channel.circuit.ejectedUntil !== 0) return false;
  eject(channel.circuit, now);
  return true;
}

function noteSuccess(
  state: HealthState,
  channelId: number,
  channel: ChannelHealth,
  part: Part,
): void {
  channel.failedModel = "";
  channel.failuresOfModels = 0;
  if (part === noPart) noteWorks(state, channelId, "channel", part, channel.circuit);
  else {
    for (const [scope, circuit] of partsOf(channel, part.keyMark, part.model)) {
      noteWorks(state, channelId, scope, part, circuit);
    }
  }
}

/** Of a channel of which nothing but the whole has failed; made once, not for each call. */
const noPart: Part = { keyMark: 0, model: "" };

/** Notes a success, and tells it if it ends a row of failures or an ejection. */
function noteWorks(
  { nowMs, others }: HealthState,
  channel: number,
  part: FaultScope,
  { keyMark, model }: Part,
  circuit: Circuit,
): void {
  const now = nowMs();
  const isRecovered = isHalfOpen(circuit, now);
  const isNews = isRecovered || circuit.failuresInRow > 0;
  succeed(circuit, now);
  if (isNews) others.tell({ channel, part, keyMark, model, what: "answered", isRecovered });
}

function noteTold({ others, uses }: HealthState, ...said: Parameters<KeyUses["told"]>): void {
  uses.told(...said);
  const [{ id }, keyMark, model, told] = said;
  if (!isUsedUp(told)) return;
  others.tell({ channel: id, part: "key", keyMark, model, what: "told", told });
}

/** Other nodes begin to probe this much later than the one that ejects, in milliseconds, or more. */
const laterMsMin = 500;
/** By up to this much more, at random, so that they do not begin at the same time. */
const laterMsMore = 1_500;

function hear(state: HealthState, hint: HealthHint): void {
  const channel = find(state, hint.channel);
  const now = state.nowMs();
  const { part, what } = hint;
  if (what === "told") {
    const key = { id: hint.channel, keyLimits: null };
    state.uses.told(key, hint.keyMark, hint.model, hint.told, state.others.now());
    return;
  }
  if (what === "failed") {
    const circuit = partOf(channel, part, hint);
    hearFailure(circuit, now, hint, laterMsMin + state.others.random() * laterMsMore);
    if (!isClosed(circuit, now)) state.blocked.add(hint.channel);
    return;
  }
  const circuit = knownPart(channel, part, hint);
  if (circuit === undefined) return;
  if (what === "probing") hearProbe(circuit, now);
  else hearSuccess(circuit, hint.isRecovered);
}

function isEjected({ circuit, keys, models }: ChannelHealth, now: number): boolean {
  const all = [circuit, ...(models?.values() ?? []), ...(keys?.values() ?? [])];
  return all.some(({ ejectedUntil }) => ejectedUntil > now);
}

function save(channel: ChannelHealth, now: number): void {
  const seconds = (now - channel.savingsAtMs) / 1_000;
  const earned = seconds * retriesPerSecond * callsPerRetry + channel.callsSaved;
  channel.savings = Math.min(channel.savings + earned, retrySavingsMax * callsPerRetry);
  channel.savingsAtMs = now;
  channel.callsSaved = 0;
}
