/**
 * The one loop over attempts, for calls, realtime sessions and tasks: it chooses a channel, has it
 * tried, and decides by the verdict what is tried next. The code of an attempt does not know that
 * there may be another.
 */

import type { ChannelView, Tier } from "#ports/snapshot.ts";
import type { Bound } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { Plan } from "#relay/plan.ts";
import { tiersOfReaders } from "./issuer.ts";
import { blocksOf } from "./blocks.ts";
import { chooseChannel } from "./route.ts";
import { placedIn, stayingAt } from "#relay/places/place.ts";
import type { Turn } from "#relay/places/conversation.ts";
import { candidatesText, type Choice } from "./choice.ts";

/** What is tried at one channel after another. */
export type Trip = Steps & (AnyTrip | BoundTrip);

/** Every channel of the plan can read the request. */
type AnyTrip = {
  readonly plan: Pick<Plan, "candidates" | "tiers"> & Partial<Pick<Plan, "model" | "without">>;
  readonly bound: null;
};

/** Only some may be able to; null: it is not known. */
type BoundTrip = { readonly plan: Plan; readonly bound: Bound | null };

type Steps = {
  /** The channels that were tried so far, in order; each attempt adds its own. */
  readonly tried: ChannelView[];
  /** How many more channels may be tried after the first. */
  retries: number;
  /** The conversation that is kept at its place; absent: there is none. */
  readonly turn?: Turn;
  /** The choices that saw more than the plan; absent: there was none, as for nearly every call. */
  choices?: Choice[];
  /** What they saw, for the row of the log. */
  candidates?: string;
  readonly clientGone: boolean;
  /** Not null: the gateway itself ends it. */
  readonly stop: object | null;
};

/**
 * What an attempt says about a further one. `again`: the same channel, whose request is written
 * anew; `next`: another channel may be tried.
 */
export type Verdict = "again" | "done" | "next";

/** How something is tried at a channel. */
export type Attempts<Tried extends Trip, Outcome> = {
  /** Makes one attempt. It adds the channel to those that were tried. */
  once(state: RelayState, trip: Tried, channel: ChannelView): Promise<Outcome>;
  judge(trip: Tried, outcome: Outcome): Verdict;
};

/**
 * Tries one channel after another until one answers.
 *
 * @returns the outcome of the last attempt; null: there was no channel to try.
 */
export async function tryInTurn<Tried extends Trip, Outcome>(
  state: RelayState,
  trip: Tried,
  attempts: Attempts<Tried, Outcome>,
  first: ChannelView | undefined,
): Promise<Outcome | null> {
  let last: Outcome | null = null;
  let channel = first;
  // Nothing is taken apart here: each scope across an await is an object.
  while (channel !== undefined) {
    last = await attempts.once(state, trip, channel);
    channel = next(state, trip, attempts.judge(trip, last));
  }
  return last;
}

/** Chooses the channel that is tried first; undefined: there is none. */
export function firstOf(state: RelayState, trip: Trip): ChannelView | undefined {
  return trip.clientGone || trip.stop !== null ? undefined : choose(state, trip);
}

/**
 * Chooses the channel of the next attempt; undefined: there is none. A retry at another channel is
 * taken from the budget of the one that failed.
 */
function next(state: RelayState, trip: Trip, verdict: Verdict): ChannelView | undefined {
  const failed = trip.tried.at(-1);
  if (verdict === "done" || trip.clientGone || trip.stop !== null) return undefined;
  if (verdict === "again" || failed === undefined) return failed;
  if (trip.retries <= 0) return undefined;
  const channel = choose(state, trip);
  if (channel === undefined || !state.health.mayRetry(failed.id)) return undefined;
  trip.retries -= 1;
  return channel;
}

const noneTried: readonly ChannelView[] = [];

/** Chooses a channel: first one that can read all of the request. */
function choose(state: RelayState, trip: Trip): ChannelView | undefined {
  const { deps, health } = state;
  const readers = trip.bound === null ? null : tiersOfReaders(deps, trip, trip.bound, health);
  const tiers: readonly Tier[] = readers ?? trip.plan.tiers;
  const tried = readers === null ? trip.tried : noneTried;
  const { model = "" } = trip.plan;
  const conversation = placedIn(trip.turn);
  const isFirst = conversation !== 0 && trip.tried.length === 0;
  const channel =
    (isFirst ? stayingAt(state, conversation, tiers, model) : undefined) ??
    chooseChannel({ tiers, tried, health, random: deps.random, conversation, model });
  if (trip.plan.candidates > 1 && (readers !== null || health.anyBlocked())) {
    noteChoice(trip, readers, health.anyBlocked() ? blocksOf(tiers, health, model) : null);
  }
  return channel;
}

/** Keeps what a choice saw. Of one that saw nothing but the plan, `explainChoice` needs nothing. */
function noteChoice(trip: Trip, readers: Choice["readers"], blocks: Choice["blocks"]): void {
  trip.candidates = candidatesText(trip.plan, { readers, blocks });
  trip.choices ??= [];
  trip.choices.push({ readers, blocks, triedBefore: trip.tried.length });
}
