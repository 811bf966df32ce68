/** Writes a conversation as the messages of Cohere's second version. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, Part, ToolResultItem } from "#canonical/request.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { fileText, isPlainFile } from "#formats/shared/upstream/media-limits.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsJson } from "#formats/shared/tool-args.ts";
import { renameCalls, shortId } from "#formats/shared/tool-ids.ts";
import { partsText, resultText, turnsOf } from "#formats/shared/upstream/turns.ts";

export function writeMessages(request: CanonicalRequest, losses: Losses): readonly JsonObject[] {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const items = renameCalls(paired.items, shortId);
  return turnsOf(items, losses.addGiven).flatMap((turn): readonly JsonObject[] => {
    switch (turn.kind) {
      case "model":
        return [writeTurn(turn.items, losses)];
      case "results":
        return writeResults(turn.items);
      case "message":
        return [{ role: turn.item.role, content: writeContent(turn.item.parts) }];
    }
  });
}

/** Writes a turn. What a model thought before it called tools is their plan. */
function writeTurn(items: readonly Item[], losses: Losses): JsonObject {
  let thinking = "";
  let text = "";
  const calls: JsonObject[] = [];
  for (const item of items) {
    if (item.type === "reasoning") {
      thinking += item.text;
      losses.addIf(item.opaque !== null, "reasoning signature");
    } else if (item.type === "tool-call") {
      const called = { name: item.name, arguments: argsJson(item) };
      calls.push({ id: item.callId, type: "function", function: called });
    } else if (item.type === "message") text += partsText(item.parts);
    else if (item.type === "hosted") losses.addGiven(item.kind);
  }
  const isPlan = thinking !== "" && calls.length > 0;
  const content = [
    ...(thinking === "" || isPlan ? [] : [{ type: "thinking", thinking }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
  ];
  return {
    role: "assistant",
    ...(content.length === 0 ? {} : { content }),
    ...(isPlan ? { tool_plan: thinking } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Results carry text only, so their images follow in a message of the user. */
function writeResults(items: readonly ToolResultItem[]): readonly JsonObject[] {
  const messages: JsonObject[] = items.map((item) => ({
    role: "tool",
    tool_call_id: item.callId,
    content: resultText(item),
  }));
  const media = items.flatMap(({ parts }) => parts.filter((part) => part.type === "media"));
  if (media.length > 0) messages.push({ role: "user", content: writeContent(media) });
  return messages;
}

/** Writes parts: as a text if they are nothing else, or as a list. */
function writeContent(parts: readonly Part[]): Json {
  const [only] = parts;
  if (only?.type === "text" && parts.length === 1) return only.text;
  return parts.map((part): JsonObject => {
    if (part.type !== "media") return { type: "text", text: part.text };
    if (isPlainFile(part)) return { type: "text", text: fileText(part) };
    const url = mediaUrl(part.source, part.mediaType) ?? "";
    const detail = part.detail === null ? {} : { detail: part.detail };
    return { type: "image_url", image_url: { url, ...detail } };
  });
}
