/** Counts what a call asks of the key that it uses, from its attempt to its end. */

import { inputOf, outputOf, type Usage } from "#canonical/usage.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { TransportAnswer } from "#network/answer.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import type { Health } from "./health.ts";

/** About how many bytes of a prompt are a token. */
const bytesPerToken = 4;

type Using = Pick<OpenCall, "body" | "model" | "use">;

function tokensOf({ body }: Using): number {
  return Math.ceil(body.textBytes / bytesPerToken);
}

export function startUse(
  { uses }: Health,
  call: Using,
  channel: ChannelView,
  keyMark: number,
): void {
  call.use = uses.started(channel, keyMark, call.model, tokensOf(call));
}

/** Notes what the upstream says is left of the key's limits, if another could be used instead. */
export function noteLimits(
  { deps, health }: RelayState,
  { model, plan }: Pick<OpenCall, "model" | "plan">,
  channel: ChannelView,
  keyMark: number,
  { toldLimits }: TransportAnswer,
): void {
  if (!toldLimits || !plan.hasChoice) return;
  health.uses.told(channel, keyMark, model, toldLimits, deps.now());
}

/** @param usage what the call has used; null: nothing, or nobody knows. */
export function endUse({ uses }: Health, call: Using, usage: Usage | null): void {
  if (call.use === null) return;
  uses.ended(call.use, usage === null ? 0 : inputOf(usage) + outputOf(usage) - tokensOf(call));
  call.use = null;
}
