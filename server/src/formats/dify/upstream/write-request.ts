/**
 * Writes a canonical request as a question to a Dify app, which keeps no conversation for us: all
 * of it is in the question.
 * Documents: https://docs.dify.ai/api-reference (read 2026-11-23).
 */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, Part } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { openLosses } from "#formats/shared/losses.ts";
import { argsJson } from "#formats/shared/tool-args.ts";
import { finishBody } from "#formats/shared/upstream/finish-body.ts";
import { fileText, isPlainFile } from "#formats/shared/upstream/media-limits.ts";
import { loseModelSettings, refuseBeyondTalk } from "#formats/shared/upstream/plain-talk.ts";
import { resultText } from "#formats/shared/upstream/turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondTalk(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  loseModelSettings(request, losses);
  const query = writeQuery(request.items);
  const files = request.items.flatMap(filesOf);
  const fields = {
    // Workflows and completions have the question among their inputs.
    inputs: { query },
    query,
    response_mode: request.stream ? "streaming" : "blocking",
    user: request.hints.endUser || "tollgate",
    files: files.length === 0 ? undefined : files,
  };
  return finishBody(fields, quirks, losses);
}

/** A single question stands as it is; a conversation names who speaks. */
function writeQuery(items: readonly Item[]): string {
  const [only] = items;
  if (items.length === 1 && only?.type === "message") return textOf(only.parts);
  return items.flatMap(writeItem).join("\n\n");
}

function writeItem(item: Item): readonly string[] {
  switch (item.type) {
    case "message":
      return [`${item.role.toUpperCase()}: ${textOf(item.parts)}`];
    case "tool-call":
      return [`ASSISTANT: ${item.name}(${argsJson(item)})`];
    case "tool-result":
      return [`TOOL: ${resultText(item)}`];
    default:
      return [];
  }
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.type !== "media") return part.text;
      return isPlainFile(part) ? fileText(part) : "";
    })
    .join("");
}

function filesOf(item: Item): readonly JsonObject[] {
  if (item.type !== "message") return [];
  return item.parts.flatMap((part) =>
    part.type === "media" && part.source.type === "url"
      ? [{ type: "image", transfer_method: "remote_url", url: part.source.url }]
      : [],
  );
}
