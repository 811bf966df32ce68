/** What the price of a call depends on besides the tokens, and how far an upstream is believed. */

import { chargedTier, type ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { Counted, UsageTrust } from "./count.ts";

/** Returns how far the channel's token counts are believed for this call. */
export function usageTrust({ sent }: OpenCall, channel: ChannelView): UsageTrust {
  return { outputMax: sent.output, onlyVisible: channel.usageTrust === "visible" };
}

/** What an answer tells beside its usage; undefined: there was none. */
type ToldBeside = { readonly tier: ServedTier; readonly searches: number } | undefined;

/**
 * Returns the counts with all else that the price of the call depends on: the service tier and the
 * searches, as the answer tells them, and the time of the day.
 */
export function chargedAs(
  { minute, sent }: Pick<OpenCall, "minute" | "sent">,
  told: ToldBeside,
  counted: Counted,
): Counted {
  const tier = chargedTier(sent.tier, told?.tier ?? "");
  const searches = Math.max(told?.searches ?? 0, counted.usage.searches ?? 0);
  if (tier === undefined && searches === 0 && minute === undefined) return counted;
  const usage = {
    ...counted.usage,
    ...(tier === undefined ? {} : { tier }),
    ...(searches === 0 ? {} : { searches }),
    ...(minute === undefined ? {} : { minute }),
  };
  return { ...counted, usage };
}
