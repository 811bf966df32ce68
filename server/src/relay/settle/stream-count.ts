/** Counts what a stream has used, whether it ended or not. */

import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { usageTrust } from "#relay/meter/charged-as.ts";
import { type Counted, countCut, countEnded, upstreamCount } from "#relay/meter/count.ts";
import type { StreamEnd } from "#relay/meter/stream-meter.ts";
import type { ChannelView } from "#ports/snapshot.ts";

/**
 * Counts what a stream has used. The upstream's report counts as a whole only if the stream has ended
 * and the report leaves nothing open.
 *
 * @param isComplete whether the stream has ended.
 */
export async function countStream(
  { deps }: RelayState,
  call: OpenCall,
  channel: ChannelView,
  { end, isComplete }: { readonly end: StreamEnd; readonly isComplete: boolean },
): Promise<Counted> {
  const trust = usageTrust(call, channel);
  if (!isComplete) return await countCut(deps, call, end, trust);
  const counted = upstreamCount(call.body, end.usage, end, trust);
  return counted ?? (await countEnded(deps, call, end, trust));
}
