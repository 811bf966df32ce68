/**
 * Says where a call would go that is not made, and why not elsewhere, for administrators. It asks the
 * same functions that decide about calls.
 */

import type { RelayState } from "#relay/call/relay-state.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import { makePlan, type Plan } from "#relay/plan.ts";
import { conversationOf } from "#relay/places/conversation.ts";
import { keyMarksOf } from "#relay/places/order.ts";
import { keyOfNext, stayingAt } from "#relay/places/place.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { keyBlock } from "./blocks.ts";
import { chooseChannel, standingOf } from "./route.ts";

/** A call of which only this is known. */
export type AskedRoute = {
  readonly group: string;
  readonly model: string;
  readonly formatId: ClientFormatId;
  /** Whose conversation it belongs to, and by which mark; empty: it belongs to none. */
  readonly userId: number;
  readonly session: string;
};

type RouteChannel = {
  readonly id: number;
  readonly name: string;
  readonly priority: number;
  readonly weight: number;
  readonly reason:
    | "cannot-carry"
    | "cooldown"
    | "ejected"
    | "limit"
    | "place"
    | "probing"
    | "reserve"
    | "used"
    | "weightless";
  /** The share of first attempts that come to it; 0 unless it is `used`, 1 for `place`. */
  readonly share: number;
  /** Unix milliseconds when the block ends; 0: there is none, or its end is not known. */
  readonly untilMs: number;
  /** How many keys it has, and how many of them take calls of the model now. */
  readonly keys: number;
  readonly openKeys: number;
  /** The key that the conversation uses there, counted from 1; 0: any. */
  readonly key: number;
};

export type RouteExplained = {
  /** Why such a call is refused; empty: it is not. */
  readonly refused: "" | "no-channel" | "no-group" | "no-price";
  /** Whether conversations keep their places. */
  readonly places: boolean;
  /** 0: the call belongs to none. */
  readonly conversation: number;
  /** In the order in which they are tried. */
  readonly channels: readonly RouteChannel[];
};

type Explaining = Pick<RelayState, "deps" | "health" | "moved">;

const nothing = { places: false, conversation: 0, channels: [] } as const;

export function explainRoute(state: Explaining, asked: AskedRoute): RouteExplained {
  const { snapshot, priceOf } = state.deps;
  const { group, model, formatId } = asked;
  if (!Object.hasOwn(snapshot.prices.list.GroupRatio, group)) {
    return { ...nothing, refused: "no-group" };
  }
  const price = priceOf(model, group);
  if (price === undefined) return { ...nothing, refused: "no-price" };
  const tiers = snapshot.tiersFor(group, model);
  if (tiers === undefined) return { ...nothing, refused: "no-channel" };
  const { options, prices } = snapshot;
  const plan = makePlan(
    { group, model, tiers, pinned: false, options, prices, price },
    { formatId, modality: "chat", isStream: false },
  );
  return explainPlan(state, plan, asked);
}

function explainPlan(
  state: Explaining,
  plan: Plan,
  { session, userId }: AskedRoute,
): RouteExplained {
  const { places, tiers, without } = plan;
  const conversation = places && session !== "" ? conversationOf(session, userId) : 0;
  const first = conversation === 0 ? undefined : placeOf(state, plan, conversation);
  const able = tiers.flatMap((tier) => tier.channels);
  const explained = able.map((channel) => {
    const told = tellChannel(state, plan, channel, conversation);
    const isChosen = channel === first && told.untilMs === 0;
    return isChosen ? { ...told, reason: "place" as const, share: 1 } : told;
  });
  const rest = without.map(({ channel }) => ({
    ...tellChannel(state, plan, channel, 0),
    reason: "cannot-carry" as const,
    share: 0,
    untilMs: 0,
  }));
  const shown = first === undefined ? explained : explained.map((told) => unshared(told, first));
  return {
    refused: able.length === 0 ? "no-channel" : "",
    places,
    conversation,
    channels: [...shown.toSorted(inOrder), ...rest],
  };
}

/** Of a conversation that has a place, no share comes to another channel. */
function unshared(told: RouteChannel, { id }: ChannelView): RouteChannel {
  return told.id === id || told.reason !== "used" ? told : { ...told, reason: "reserve", share: 0 };
}

function placeOf(state: Explaining, { model, tiers }: Plan, conversation: number) {
  const { deps, health } = state;
  return (
    stayingAt(state, conversation, tiers, model) ??
    chooseChannel({ tiers, tried: [], health, random: deps.random, conversation, model })
  );
}

function tellChannel(
  state: Explaining,
  { model, tiers }: Plan,
  channel: ChannelView,
  conversation: number,
): RouteChannel {
  const { deps, health } = state;
  const { id, keys, name, priority, weight } = channel;
  const standing = standingOf(tiers, channel, health, model);
  const until = "until" in standing && Number.isFinite(standing.until) ? standing.until : 0;
  const isOpen = (mark: number): boolean => keyBlock(health, channel, mark, model) === null;
  const key =
    conversation === 0 ? undefined : keyOfNext(state, channel, conversation, tiers, model);
  return {
    id,
    name,
    priority,
    weight,
    reason: standing.kind,
    share: standing.kind === "used" ? standing.share : 0,
    untilMs: until === 0 ? 0 : deps.now() + until - deps.ticker.nowMs(),
    keys: keys.length,
    openKeys: keyMarksOf(channel).filter(isOpen).length,
    key: key === undefined ? 0 : keys.indexOf(key) + 1,
  };
}

/** Those that get calls come first, then those of a higher priority and with more weight. */
function inOrder(a: RouteChannel, b: RouteChannel): number {
  return b.share - a.share || b.priority - a.priority || b.weight - a.weight || a.id - b.id;
}
