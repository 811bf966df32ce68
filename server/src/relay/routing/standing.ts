/**
 * Says why a channel is or is not used now, for administrators. It asks the same functions that
 * decide about calls, so that it cannot say anything else than what calls do.
 */

import type { RelayState } from "#relay/call/relay-state.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { orderedTiers } from "./cheapest.ts";
import { standingOf } from "./route.ts";

/** Where a channel stands for one group and model. */
type PartStanding = {
  readonly group: string;
  readonly model: string;
  readonly kind:
    | "cooldown"
    | "ejected"
    | "limit"
    | "no-group"
    | "no-price"
    | "probing"
    | "reserve"
    | "used"
    | "weightless";
  /** The share of first attempts that come to the channel; 0 unless `used`. */
  readonly share: number;
  /** Unix milliseconds when the block ends; 0: there is none, or its end is not known. */
  readonly untilMs: number;
};

export type ChannelStanding = {
  /**
   * `unusable`: the server cannot use the channel's type or settings. `off`: it is not enabled.
   */
  readonly state: "off" | "on" | "unusable";
  /** One entry for each group and model, the first `partsMax` of them; empty unless `on`. */
  readonly parts: readonly PartStanding[];
};

/** How many groups and models of a channel are looked at. */
const partsMax = 2_000;

/** Says where a channel stands for calls that begin now. */
export function channelStanding(
  state: Pick<RelayState, "deps" | "health">,
  channelId: number,
): ChannelStanding {
  const channel = state.deps.snapshot.findChannel(channelId);
  if (channel === undefined) return { state: "unusable", parts: [] };
  if (channel.status !== 1) return { state: "off", parts: [] };
  const parts: PartStanding[] = [];
  for (const group of channel.groups) {
    for (const model of channel.models) {
      if (parts.length < partsMax) parts.push(partOf(state, channel, group, model));
    }
  }
  return { state: "on", parts };
}

function partOf(
  { deps, health }: Pick<RelayState, "deps" | "health">,
  channel: ChannelView,
  group: string,
  model: string,
): PartStanding {
  const { snapshot } = deps;
  const part = { group, model, share: 0, untilMs: 0 };
  // The order of these checks is that of `admission/admit.ts`.
  if (!Object.hasOwn(snapshot.prices.list.GroupRatio, group)) return { ...part, kind: "no-group" };
  if (deps.priceOf(model, group) === undefined) return { ...part, kind: "no-price" };
  const { options } = snapshot;
  const tiers = orderedTiers(snapshot.tiersFor(group, model) ?? [], { group, model, options });
  const standing = standingOf(tiers, channel, health, model);
  switch (standing.kind) {
    case "used":
      return { ...part, kind: "used", share: standing.share };
    case "reserve":
    case "weightless":
    case "probing":
      return { ...part, kind: standing.kind };
    case "cooldown":
    case "ejected":
    case "limit":
      return {
        ...part,
        kind: standing.kind,
        // Blocks end by a clock that begins with the process.
        untilMs: Number.isFinite(standing.until)
          ? deps.now() + standing.until - deps.ticker.nowMs()
          : 0,
      };
  }
}
