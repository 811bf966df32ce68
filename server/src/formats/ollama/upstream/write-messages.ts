import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, Part, ToolResultItem } from "#canonical/request.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { fileText, isPlainFile } from "#formats/shared/upstream/media-limits.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsObject } from "#formats/shared/tool-args.ts";
import { resultText, turnsOf } from "#formats/shared/upstream/turns.ts";

/** Writes the conversation. Calls have no ids: a result names its tool, in the order of the calls. */
export function writeMessages(request: CanonicalRequest, losses: Losses): readonly JsonObject[] {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const names = new Map<string, string>();
  for (const item of paired.items) {
    if (item.type === "tool-call") names.set(item.callId, item.name);
  }
  return turnsOf(paired.items, losses.addGiven).flatMap((turn): readonly JsonObject[] => {
    switch (turn.kind) {
      case "model":
        return [writeTurn(turn.items, losses)];
      case "results":
        return turn.items.map((item) => writeResult(item, names));
      case "message":
        return [{ role: turn.item.role, ...writeParts(turn.item.parts) }];
    }
  });
}

function writeTurn(items: readonly Item[], losses: Losses): JsonObject {
  let thinking = "";
  const parts: Part[] = [];
  const calls: JsonObject[] = [];
  for (const item of items) {
    if (item.type === "reasoning") {
      thinking += item.text;
      losses.addIf(item.opaque !== null, "reasoning signature");
    } else if (item.type === "tool-call") {
      calls.push({ function: { name: item.name, arguments: argsObject(item) } });
    } else if (item.type === "message") parts.push(...item.parts);
    else if (item.type === "hosted") losses.addGiven(item.kind);
  }
  return {
    role: "assistant",
    ...writeParts(parts),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function writeResult(item: ToolResultItem, names: ReadonlyMap<string, string>): JsonObject {
  const name = item.name || (names.get(item.callId) ?? "");
  const { images } = writeParts(item.parts);
  return {
    role: "tool",
    content: resultText(item),
    ...(name === "" ? {} : { tool_name: name }),
    ...(images === undefined ? {} : { images }),
  };
}

/** Writes text as one text, and images as bytes beside it. */
function writeParts(parts: readonly Part[]): { content: string; images?: readonly string[] } {
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of parts) {
    if (part.type !== "media") texts.push(part.text);
    else if (isPlainFile(part)) texts.push(fileText(part));
    else if (part.source.type === "bytes") images.push(part.source.data);
  }
  return { content: texts.join(""), ...(images.length === 0 ? {} : { images }) };
}
