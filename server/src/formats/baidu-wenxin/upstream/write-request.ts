/**
 * Writes a canonical request for Baidu's Wenxin workshop. The path names the model.
 * Documents: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t (read 2026-11-23).
 */

import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { partsText } from "#formats/shared/upstream/turns.ts";
import { splitSystem } from "#formats/shared/upstream/alternate.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { refuseBeyondText, textTurns } from "#formats/shared/upstream/text-turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

/** The smallest output limit that the vendor takes, in tokens. */
const outputTokensMin = 2;

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondText(request, "use a channel of Baidu V2");
  if (refused !== undefined) return refused;
  const losses = openLosses();
  loseSettings(request, [], losses);
  losses.addIf(request.reasoning !== null, "reasoning");
  const { limits, output, sampling } = request;
  losses.addIf(output?.type === "json-schema", "response_format");
  const { system, spoken } = splitSystem(request.items);
  const instructions = system.map(({ parts }) => partsText(parts)).join("\n\n");
  const fields = {
    messages: textTurns(spoken),
    system: instructions || undefined,
    max_output_tokens:
      limits.maxOutputTokens === null
        ? undefined
        : Math.max(outputTokensMin, limits.maxOutputTokens),
    stop: limits.stopSequences.length === 0 ? undefined : limits.stopSequences,
    // The range is from above 0 to 1.
    temperature:
      sampling.temperature === null ? undefined : Math.min(1, Math.max(0.01, sampling.temperature)),
    top_p: sampling.topP ?? undefined,
    response_format: output === null ? undefined : "json_object",
    user_id: request.hints.endUser || undefined,
    stream: request.stream ? true : undefined,
  };
  return finishBody(fields, quirks, losses);
}
