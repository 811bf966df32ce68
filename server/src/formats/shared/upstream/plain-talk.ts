/** For upstreams that are bots: they have tools and settings of their own, and take only text. */

import type { CanonicalRequest, Item, MediaPart, Part } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { argsJson } from "#formats/shared/tool-args.ts";
import { loseSettings } from "./finish-body.ts";
import { fileText, isPlainFile } from "./media-limits.ts";
import { refuseMediaOutput, refuseSeveral, unsupported } from "./refuse.ts";
import { resultText } from "./turns.ts";

/** Refuses what a bot cannot be told. Undefined: it can be told all of it. */
export function refuseBeyondTalk(request: CanonicalRequest): BodyRefusal | undefined {
  if (request.tools.some(({ type }) => type !== "hosted")) {
    return unsupported("tools", "the upstream is a bot with tools of its own; send none");
  }
  const refused = refuseSeveral(request) ?? refuseMediaOutput(request);
  if (refused !== undefined) return refused;
  for (const part of mediaOf(request)) {
    if (part.kind !== "image" || part.source.type !== "url") {
      return unsupported("messages", "the upstream takes images by their URL, and no other files");
    }
  }
  return undefined;
}

/** Returns the media of the conversation that are not plain text. */
function mediaOf({ items }: CanonicalRequest): readonly MediaPart[] {
  return items.flatMap((item) =>
    item.type === "message" || item.type === "tool-result"
      ? item.parts.filter((part) => part.type === "media").filter((part) => !isPlainFile(part))
      : [],
  );
}

/** Names what the bot decides itself. */
export function loseModelSettings(request: CanonicalRequest, losses: Losses): void {
  const { limits, output, reasoning, sampling } = request;
  loseSettings(request, [], losses);
  losses.addIf(limits.maxOutputTokens !== null, "max_tokens");
  losses.addIf(sampling.temperature !== null, "temperature");
  losses.addIf(sampling.topP !== null, "top_p");
  losses.addIf(reasoning !== null, "reasoning");
  losses.addIf(output !== null, "response_format");
}

/** Makes one text of a conversation. A single question stands as it is; else each part names who speaks. */
export function conversationText(items: readonly Item[]): string {
  const [only] = items;
  if (items.length === 1 && only?.type === "message") return itemText(only);
  return items.flatMap(writeItem).join("\n\n");
}

function writeItem(item: Item): readonly string[] {
  switch (item.type) {
    case "message":
      return [`${item.role.toUpperCase()}: ${itemText(item)}`];
    case "tool-call":
      return [`ASSISTANT: ${itemText(item)}`];
    case "tool-result":
      return [`TOOL: ${itemText(item)}`];
    default:
      return [];
  }
}

/** Tells an item of a conversation as text; empty: it has none. */
export function itemText(item: Item): string {
  switch (item.type) {
    case "message":
      return textOf(item.parts);
    case "tool-call":
      return `${item.name}(${argsJson(item)})`;
    case "tool-result":
      return resultText(item);
    default:
      return "";
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
