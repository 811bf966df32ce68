/** Tries the submission of a task at one channel after another, by the rules of all calls. */

import type { ChannelView, Tier } from "#ports/snapshot.ts";
import type { TaskAttempt, TaskChannel, TaskTrip } from "#ports/task-desk.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { pauseOf } from "#relay/faults/fault.ts";
import { countChannels } from "#relay/plan.ts";
import { keyMarkOf } from "#relay/places/order.ts";
import { drawnKey } from "./issuer.ts";
import type { KeyUse } from "./key-uses.ts";
import { type Attempts, firstOf, type Trip, tryInTurn } from "./choose.ts";

type Offer = {
  readonly model: string;
  readonly tiers: readonly Tier[];
  /** How many channels may be tried after the first. */
  readonly retries: number;
};

type Fits = (channel: TaskChannel) => boolean;

type OpenTrip = Trip & {
  readonly model: string;
  readonly once: Parameters<TaskTrip["tryInTurn"]>[1];
};

/** Chooses the channel that is tried first, among those that `fits`; undefined: there is none. */
export function openTaskTrip(state: RelayState, offer: Offer, fits: Fits): TaskTrip | undefined {
  const tried: ChannelView[] = [];
  const steps = { tried, bound: null, clientGone: false, stop: null } as const;
  const first = firstOf(state, { ...steps, retries: 0, plan: planOf(offer, fits) });
  if (first === undefined) return undefined;
  return {
    first,
    tried,
    keyFor(channel) {
      // Safe cast: the desk has the channels that it was given here.
      return drawnKey(state, channel as ChannelView, offer.model);
    },
    async tryInTurn(others, once) {
      const { model } = offer;
      const retries = others === null ? 0 : offer.retries;
      const plan = planOf(offer, others ?? fits);
      await tryInTurn(state, { ...steps, plan, retries, model, once }, taskAttempts, first);
    },
  };
}

function planOf({ model, tiers }: Offer, fits: Fits): Trip["plan"] {
  const left = tiers.map(({ priority, channels }) => ({
    priority,
    channels: channels.filter(fits),
  }));
  return { tiers: left, candidates: countChannels(left), model };
}

const taskAttempts: Attempts<OpenTrip, TaskAttempt> = {
  once: submitTo,
  judge: (_, { isRetryable }) => (isRetryable ? "next" : "done"),
};

async function submitTo(
  { deps, health }: RelayState,
  { model, once, tried }: OpenTrip,
  channel: ChannelView,
): Promise<TaskAttempt> {
  const isRetry = tried.length > 0;
  tried.push(channel);
  health.started(channel.id);
  const startedMs = deps.ticker.nowMs();
  let end: TaskAttempt | undefined;
  let use: KeyUse | null = null;
  try {
    end = await once(channel, isRetry, (key) => {
      use = health.uses.started(channel, keyMarkOf(channel, key), model, 0);
    });
    return end;
  } finally {
    if (use !== null) health.uses.ended(use, 0);
    if (end === undefined) health.ended(channel.id, { kind: "unknown" });
    else noteEnd(end, deps.ticker.nowMs() - startedMs);
  }

  function noteEnd({ answer, fault }: TaskAttempt, ms: number): void {
    if (fault === null) {
      health.ended(channel.id, { kind: "answered" });
      deps.attempts.answered(channel.id, model, isRetry, ms);
      return;
    }
    const retryAfterMs = answer === null ? null : pauseOf(answer, deps.now());
    health.ended(channel.id, { kind: "failed", retryAfterMs });
    deps.metrics.channelFault(channel.id, fault);
    deps.attempts.failed(channel.id, model, isRetry, fault);
  }
}
