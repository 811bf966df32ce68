/** Tells clients the tokens that they are charged for, also where the gateway has counted them. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import { inputOf, outputOf, type ReadUsage, type Usage } from "#canonical/usage.ts";
import { tellInAnswer, tellInEvents } from "#formats/shared/usage/tell-usage.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import type { Counted } from "#relay/meter/count.ts";
import type { WholeAnswer } from "#relay/ways/way.ts";
import type { StreamEnd } from "#relay/meter/stream-meter.ts";
import { costOf } from "#relay/settle/settle.ts";

/** Returns the last bytes of a complete stream, in which the tokens are those that are charged. */
export function tellTail(call: OpenCall, end: StreamEnd, { usage }: Counted): Uint8Array {
  const { body, format, model } = call;
  const { tail } = end;
  if (format.usage === undefined || body.work !== undefined || isEmpty(end)) return tail;
  if (isSame(end.seenUsage, usage)) return tail;
  return tellInEvents(tail, format.usage, { usage, model, adds: body.wantsUsage });
}

function isSame(seen: ReadUsage, usage: Usage): boolean {
  if (seen.kind === "missing" || seen.kind === "suspect") return false;
  const told = seen.kind === "ok" ? seen.usage : noUsage;
  const isInput = inputOf(told) === inputOf(usage) && told.cacheRead === usage.cacheRead;
  return isInput && outputOf(told) === outputOf(usage);
}

/** Whether nothing came, nor a report: an answer that goes on in the background is one of these. */
function isEmpty({ contentBytes, usage }: Pick<StreamEnd, "contentBytes" | "usage">): boolean {
  return contentBytes === 0 && usage.kind === "missing";
}

/** Returns a whole answer, in which the tokens are those that are charged. */
export function tellWhole(
  call: OpenCall,
  { bytes, metered }: Pick<WholeAnswer, "bytes" | "metered">,
  counted: Counted,
): Uint8Array {
  const { body, format } = call;
  const isNone = isEmpty(metered) && body.modality !== "embeddings";
  const isTold = counted.source === "upstream" || body.work !== undefined || isNone;
  if (isTold || format.usage === undefined) return bytes;
  return tellInAnswer(bytes, format.usage, counted.usage);
}

/** Returns the last bytes with the cost, if the client asked for it. */
export function tellCost(call: OpenCall, tail: Uint8Array, { usage }: Counted): Uint8Array {
  if (call.body.wantsCost !== true) return tail;
  const told = {
    cost: costOf(call),
    model: call.model,
    inputTokens: inputOf(usage),
    outputTokens: outputOf(usage),
  };
  return call.format.stream.addCost?.(tail, told) ?? tail;
}
