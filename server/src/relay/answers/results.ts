/** What calls are charged whose results are no text: only those that came. */

import { noUsage } from "@tollgate/contract/money/charge.ts";
import type { RequestBody } from "#formats/format.ts";
import type { Counted } from "#relay/meter/count.ts";
import type { StreamEnd, StreamMeter } from "#relay/meter/stream-meter.ts";
import { type Ending, endings } from "#relay/call/endings.ts";

/** What a call is charged for whose answer has brought nothing of what was asked for. */
export const nothingCame: Counted = {
  usage: noUsage,
  source: "upstream",
  doubt: "",
  hiddenOutput: false,
  seen: 0,
};

/**
 * Returns what an answer with this many results is charged for. A call that has the price of several
 * results pays only for those that came.
 */
export function chargedFor<Body extends Pick<RequestBody, "answerCount" | "work">>(
  body: Body,
  results: number | undefined,
): Body {
  const { answerCount, work } = body;
  if (results === undefined || work === undefined || results >= answerCount) return body;
  const input = work.input === null ? null : shareOf(work.input, results, answerCount);
  const callThousandths = shareOf(work.callThousandths, results, answerCount);
  return { ...body, work: { ...work, callThousandths, input } };
}

function shareOf(whole: number, part: number, of: number): number {
  return Math.ceil((whole * part) / of);
}

/** Calls whose stream has pictures, each of which finishes a choice. */
const pictures: ReadonlySet<string> = new Set(["image-edits", "image-variations", "images"]);

/**
 * Whether a stream that the upstream has ended brought no complete picture, or no sound of speech.
 */
export function cameNothing(
  { modality }: Pick<RequestBody, "modality">,
  { finished }: Pick<StreamMeter, "finished">,
  { contentBytes }: Pick<StreamEnd, "contentBytes">,
  ending: Ending,
): boolean {
  if (ending !== endings.complete && ending !== endings.broken) return false;
  if (modality === "speech") return contentBytes === 0;
  return !finished && pictures.has(modality);
}
