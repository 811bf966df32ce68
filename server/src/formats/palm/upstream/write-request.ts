/** Writes a canonical request as `generateMessage` of PaLM. The path names the model. */

import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import { splitSystem } from "#formats/shared/upstream/alternate.ts";
import { finishBody, loseSettings } from "#formats/shared/upstream/finish-body.ts";
import { refuseBeyondText, textTurns } from "#formats/shared/upstream/text-turns.ts";
import { partsText } from "#formats/shared/upstream/turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondText(request, "use a channel of Gemini");
  if (refused !== undefined) return refused;
  const losses = openLosses();
  const { limits, output, reasoning, sampling } = request;
  loseSettings(request, ["topK"], losses);
  losses.addIf(limits.maxOutputTokens !== null, "max_tokens");
  losses.addIf(reasoning !== null, "reasoning");
  losses.addIf(output !== null, "response_format");
  const { system, spoken } = splitSystem(request.items);
  const context = system.map(({ parts }) => partsText(parts)).join("\n\n");
  const messages = textTurns(spoken).map(({ role, content }) => ({
    author: role === "user" ? "0" : "1",
    content,
  }));
  const fields = {
    prompt: defined({ context: context || undefined, messages }),
    temperature: sampling.temperature === null ? undefined : Math.min(1, sampling.temperature),
    topP: sampling.topP ?? undefined,
    topK: sampling.topK ?? undefined,
  };
  return finishBody(fields, quirks, losses);
}
