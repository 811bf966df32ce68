import type { Json, JsonObject } from "#base/json.ts";
import { type Item, type Part, type Role, textPart } from "#canonical/request.ts";
import {
  blocksOf,
  nativeIssuer,
  readBreakpoint,
  readMedia,
} from "#formats/anthropic-messages/wire.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { unwrapOpaque } from "#formats/shared/opaque-text.ts";
import { objectOf, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { isOwnBlock } from "./write-outcome.ts";

/** Reads the system prompt, one item a block. */
export function parseSystem(system: Json | undefined): readonly Item[] {
  return blocksOf(system).map((block) => ({
    type: "message",
    role: "system",
    parts: [{ ...textPart(textOf(block["text"])), cache: readBreakpoint(block) }],
  }));
}

/** Turns the messages into items. */
export function parseMessages(messages: readonly Json[], losses: Losses): readonly Item[] {
  return messages.flatMap((each): readonly Item[] => {
    const message = objectOf(each);
    const role = roleOf(textOf(message["role"]));
    return parseBlocks(blocksOf(message["content"]), role, losses);
  });
}

function roleOf(role: string): Role {
  return role === "assistant" || role === "system" ? role : "user";
}

/** Turns blocks into items: neighbouring parts become one message. */
function parseBlocks(blocks: readonly JsonObject[], role: Role, losses: Losses): readonly Item[] {
  const items: Item[] = [];
  let parts: Part[] = [];
  const endMessage = () => {
    if (parts.length > 0) items.push({ type: "message", role, parts });
    parts = [];
  };
  for (const block of blocks) {
    const part = parsePart(block, losses);
    if (part !== undefined) {
      parts.push(part);
      continue;
    }
    const item = parseItem(block, role, losses);
    if (item === undefined) continue;
    endMessage();
    items.push(item);
  }
  endMessage();
  return items;
}

function parsePart(block: JsonObject, losses: Losses): Part | undefined {
  switch (block["type"]) {
    case "text":
      return { ...textPart(textOf(block["text"])), cache: readBreakpoint(block) };
    case "image":
    case "document": {
      const part = readMedia(block);
      if (part === undefined) losses.add(`messages[].content[].${textOf(block["type"])}.source`);
      return part;
    }
    case "search_result": {
      const texts = blocksOf(block["content"]).map((each) => textOf(each["text"]));
      const found = [textOf(block["title"]), textOf(block["source"]), ...texts];
      return textPart(found.filter((text) => text !== "").join("\n"));
    }
    // What a search of the client for tools has found; all tools are sent.
    case "tool_reference":
      return textPart(textOf(block["tool_name"]));
    default:
      return undefined;
  }
}

/** Reads a block in the result of a tool. */
function parseInner(block: JsonObject, losses: Losses): readonly Part[] {
  const part = parsePart(block, losses);
  if (part !== undefined) return [part];
  const type = textOf(block["type"]);
  // What could not be read of these is named already.
  if (type !== "document" && type !== "image") {
    losses.addGiven(type, "messages[].content[].content[].");
  }
  return [];
}

function parseItem(block: JsonObject, role: Role, losses: Losses): Item | undefined {
  const cache = readBreakpoint(block);
  switch (block["type"]) {
    case "thinking": {
      const value = textOf(block["signature"]);
      const native = { issuer: nativeIssuer, kind: "signature" } as const;
      const opaque = value === "" ? null : unwrapOpaque(value, native);
      return { type: "reasoning", text: textOf(block["thinking"]), opaque, isSummary: false };
    }
    case "redacted_thinking": {
      const native = { issuer: nativeIssuer, kind: "encrypted" } as const;
      const opaque = unwrapOpaque(textOf(block["data"]), native);
      return { type: "reasoning", text: "", opaque, isSummary: false };
    }
    case "tool_use":
      return {
        type: "tool-call",
        callId: textOf(block["id"]),
        name: textOf(block["name"]),
        argsText: argsOf(block["input"]),
        form: "json",
        opaque: null,
        cache,
      };
    case "tool_result": {
      const parts = blocksOf(block["content"]).flatMap((each) => parseInner(each, losses));
      const callId = textOf(block["tool_use_id"]);
      const failed = block["is_error"] === true;
      return { type: "tool-result", callId, name: "", parts, failed, cache };
    }
    default:
      if (isOwnBlock(block)) return undefined;
      return {
        type: "hosted",
        kind: textOf(block["type"]),
        role,
        issuer: nativeIssuer,
        raw: block,
      };
  }
}
