/**
 * Writes a canonical request as a question to one of AI Proxy's knowledge bases. The provider adds
 * which one.
 */

import type { CanonicalRequest } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { finishBody } from "#formats/shared/upstream/finish-body.ts";
import { conversationText, loseModelSettings } from "#formats/shared/upstream/plain-talk.ts";
import { refuseBeyondText } from "#formats/shared/upstream/text-turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondText(request, "send none");
  if (refused !== undefined) return refused;
  const losses = openLosses();
  loseModelSettings(request, losses);
  const { items, model, stream } = request;
  return finishBody({ model, query: conversationText(items), stream }, quirks, losses);
}
