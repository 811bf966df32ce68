import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, MessageItem, Part, TextPart } from "#canonical/request.ts";
import { nativeIssuer, writeBreakpoint, writeMedia } from "#formats/anthropic-messages/wire.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { itemsOf } from "#formats/shared/opaque-item.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { argsObject } from "#formats/shared/tool-args.ts";
import { plainId, renameCalls } from "#formats/shared/tool-ids.ts";
import { alternate, splitSystem } from "#formats/shared/upstream/alternate.ts";

export type Conversation = {
  readonly system: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  /** Whether a turn has tool calls, but does not begin with signed reasoning. */
  readonly unsignedCalls: boolean;
};

/**
 * Writes the conversation: the system prompt, then messages whose roles alternate. Results of tools
 * come first in the message behind their calls.
 */
export function writeConversation(request: CanonicalRequest, losses: Losses): Conversation {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const items = renameCalls(paired.items, plainId);
  const { system: prompts, spoken } = splitSystem(items);
  const system = prompts.flatMap(writeSystem);
  const messages = alternate(spoken, (item) => writeItem(item, losses));
  // A conversation begins with the user.
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [filler] });
  trimPrefill(messages.at(-1));
  return { system, messages, unsignedCalls: messages.some(isUnsigned) };
}

/** What stands where the format requires a text and the conversation has none. */
const filler: JsonObject = { type: "text", text: "..." };

function isUnsigned({ content }: { readonly content: readonly JsonObject[] }): boolean {
  const [first] = content;
  const begins = first?.["type"] === "thinking" || first?.["type"] === "redacted_thinking";
  return !begins && content.some((block) => block["type"] === "tool_use");
}

/** The beginning of an answer that the client dictates must not end in white space. */
function trimPrefill(last: { role: string; content: JsonObject[] } | undefined): void {
  const block = last?.content.at(-1);
  if (last?.role !== "assistant" || typeof block?.["text"] !== "string") return;
  last.content[last.content.length - 1] = { ...block, text: block["text"].trimEnd() };
}

function writeSystem({ parts }: MessageItem): readonly JsonObject[] {
  return parts.flatMap((part) => (part.type === "text" ? writeText(part) : []));
}

function writeItem(item: Item, losses: Losses): JsonObject[] {
  switch (item.type) {
    case "message":
      return item.parts.flatMap((part) => writePart(part, losses));
    case "reasoning": {
      const { text, opaque } = item;
      if (opaque?.issuer === nativeIssuer) {
        if (opaque.kind === "item") return itemsOf(opaque.value);
        if (opaque.kind === "encrypted") {
          return [{ type: "redacted_thinking", data: opaque.value }];
        }
        return [{ type: "thinking", thinking: text, signature: opaque.value }];
      }
      losses.add("reasoning of earlier turns");
      return [];
    }
    case "tool-call": {
      const { callId: id, name, cache } = item;
      return [{ type: "tool_use", id, name, input: argsObject(item), ...writeBreakpoint(cache) }];
    }
    case "tool-result": {
      const { callId, parts, failed, cache } = item;
      const content = parts.flatMap((part) => writePart(part, losses));
      return [
        {
          type: "tool_result",
          tool_use_id: callId,
          ...(content.length === 0 ? {} : { content }),
          ...(failed ? { is_error: true } : {}),
          ...writeBreakpoint(cache),
        },
      ];
    }
    case "hosted":
      if (item.issuer === nativeIssuer) return [item.raw];
      losses.addGiven(item.kind);
      return [];
  }
}

function writePart(part: Part, losses: Losses): readonly JsonObject[] {
  if (part.type === "text") return writeText(part);
  if (part.type === "refusal") return writeText({ text: part.text, cache: null });
  const written = writeMedia(part);
  if (written !== undefined) return [written];
  losses.add(part.kind);
  return [];
}

/** Leaves out a text of white space alone, because the API refuses it. */
function writeText({ text, cache }: Pick<TextPart, "cache" | "text">): readonly JsonObject[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...writeBreakpoint(cache) }];
}
