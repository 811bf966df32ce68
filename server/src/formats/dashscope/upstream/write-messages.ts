import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, Part, ToolResultItem } from "#canonical/request.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsJson } from "#formats/shared/tool-args.ts";
import { renameCalls, shortId } from "#formats/shared/tool-ids.ts";
import { fileText, isPlainFile } from "#formats/shared/upstream/media-limits.ts";
import { partsText, resultText, turnsOf } from "#formats/shared/upstream/turns.ts";

/** @param takesParts whether the model wants lists of parts even for text alone. */
export function writeMessages(
  request: CanonicalRequest,
  takesParts: boolean,
  losses: Losses,
): readonly JsonObject[] {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const items = renameCalls(paired.items, shortId);
  return turnsOf(items, losses.addGiven).flatMap((turn): readonly JsonObject[] => {
    switch (turn.kind) {
      case "model":
        return [writeTurn(turn.items, takesParts, losses)];
      case "results":
        return writeResults(turn.items, takesParts);
      case "message":
        return [{ role: turn.item.role, content: writeContent(turn.item.parts, takesParts) }];
    }
  });
}

function writeTurn(items: readonly Item[], takesParts: boolean, losses: Losses): JsonObject {
  let text = "";
  let reasoning = "";
  const calls: JsonObject[] = [];
  for (const item of items) {
    if (item.type === "tool-call") {
      const called = { name: item.name, arguments: argsJson(item) };
      calls.push({ id: item.callId, type: "function", function: called });
    } else if (item.type === "message") text += partsText(item.parts);
    else if (item.type === "reasoning") reasoning += item.text;
    else if (item.type === "hosted") losses.addGiven(item.kind);
  }
  return {
    role: "assistant",
    content: takesParts ? [{ text }] : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Results carry text only, so their media follow in a message of the user. */
function writeResults(
  items: readonly ToolResultItem[],
  takesParts: boolean,
): readonly JsonObject[] {
  const messages: JsonObject[] = items.map((item) => {
    const text = resultText(item);
    const content = takesParts ? [{ text }] : text;
    return { role: "tool", tool_call_id: item.callId, content };
  });
  const media = items.flatMap(({ parts }) => parts.filter((part) => part.type === "media"));
  if (media.length > 0) messages.push({ role: "user", content: writeContent(media, takesParts) });
  return messages;
}

function writeContent(parts: readonly Part[], takesParts: boolean): Json {
  const isText = parts.every((part) => part.type !== "media" || isPlainFile(part));
  if (isText && !takesParts) return parts.map(textOf).join("");
  return parts.map((part): JsonObject => {
    if (part.type !== "media" || isPlainFile(part)) return { text: textOf(part) };
    return { [part.kind]: mediaUrl(part.source, part.mediaType) ?? "" };
  });
}

function textOf(part: Part): string {
  return part.type === "media" ? fileText(part) : part.text;
}
