/**
 * Writes a canonical request for version 3 of Zhipu's API. The path names the model, and says
 * whether the answer is streamed.
 */

import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { splitSystem } from "#formats/shared/upstream/alternate.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { refuseBeyondText, textTurns } from "#formats/shared/upstream/text-turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondText(request, "use one of Zhipu's later models");
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const { limits, output, reasoning, sampling } = request;
  loseSettings(request, [], losses);
  losses.addIf(limits.maxOutputTokens !== null, "max_tokens");
  losses.addIf(reasoning !== null, "reasoning");
  losses.addIf(output !== null, "response_format");
  // The format knows no system prompt, so the user says it.
  const { system, spoken } = splitSystem(request.items);
  const said = system.map((item) => ({ ...item, role: "user" as const }));
  const fields = {
    prompt: textTurns([...said, ...spoken]),
    // Both ranges are without their ends.
    temperature: inside(sampling.temperature),
    top_p: inside(sampling.topP),
    incremental: request.stream ? true : undefined,
  };
  return finishBody(fields, quirks, losses);
}

function inside(value: number | null): number | undefined {
  return value === null ? undefined : Math.min(0.99, Math.max(0.01, value));
}
