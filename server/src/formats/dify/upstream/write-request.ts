/**
 * Writes a canonical request as a question to a Dify app, which keeps no conversation for us: all
 * of it is in the question.
 * Documents: https://docs.dify.ai/api-reference (read 2026-11-23).
 */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { finishBody } from "#formats/shared/upstream/finish-body.ts";
import {
  conversationText,
  loseModelSettings,
  refuseBeyondTalk,
} from "#formats/shared/upstream/plain-talk.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondTalk(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  loseModelSettings(request, losses);
  const query = conversationText(request.items);
  const files = request.items.flatMap(filesOf);
  const fields = {
    inputs: quirks.asksByInput === true ? { query } : {},
    query: quirks.asksByInput === true ? undefined : query,
    response_mode: request.stream ? "streaming" : "blocking",
    user: request.hints.endUser || "tollgate",
    files: files.length === 0 ? undefined : files,
  };
  return finishBody(fields, quirks, losses);
}

function filesOf(item: Item): readonly JsonObject[] {
  if (item.type !== "message") return [];
  return item.parts.flatMap((part) =>
    part.type === "media" && part.source.type === "url"
      ? [{ type: "image", transfer_method: "remote_url", url: part.source.url }]
      : [],
  );
}
