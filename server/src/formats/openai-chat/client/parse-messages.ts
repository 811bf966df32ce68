import type { Json, JsonObject } from "#base/json.ts";
import {
  type Breakpoint,
  type Item,
  type MediaPart,
  type Part,
  type Role,
  textPart,
} from "#canonical/request.ts";
import { kindOf, readFileData, readMediaUrl } from "#formats/shared/data-url.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { unwrapOpaque } from "#formats/shared/opaque-text.ts";
import { asObject, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";

/** Turns the messages into items. A message of the assistant may become several. */
export function parseMessages(messages: readonly Json[], losses: Losses): readonly Item[] {
  const items: Item[] = [];
  /** The id of the last call of each tool. */
  const lastCalls = new Map<string, string>();
  for (const each of messages) {
    const message = objectOf(each);
    const role = textOf(message["role"]);
    if (role === "tool" || role === "function") items.push(parseResult(message, lastCalls, losses));
    else if (role === "assistant") {
      for (const item of parseTurn(message, items.length, losses)) {
        items.push(item);
        if (item.type === "tool-call") lastCalls.set(item.name, item.callId);
      }
    } else items.push(parseMessage(message, roleOf(role), losses));
  }
  return items;
}

function roleOf(role: string): Role {
  return role === "system" || role === "developer" ? "system" : "user";
}

function parseMessage(message: JsonObject, role: Role, losses: Losses): Item {
  return { type: "message", role, parts: parseContent(message["content"], losses) };
}

/** The result of a tool. The old role `function` has only a name, so the last call of it is meant. */
function parseResult(
  message: JsonObject,
  lastCalls: ReadonlyMap<string, string>,
  losses: Losses,
): Item {
  const name = textOf(message["name"]);
  const callId = textOf(message["tool_call_id"]) || (lastCalls.get(name) ?? "");
  const parts = parseContent(message["content"], losses);
  const cache = markOf(message);
  return { type: "tool-result", callId, name, parts, failed: false, cache };
}

/** A turn of the model: its reasoning, its text, then its calls. */
function parseTurn(message: JsonObject, at: number, losses: Losses): readonly Item[] {
  const items: Item[] = parseReasoning(message);
  const content = message["content"];
  for (const block of listOf(content)) {
    const { type, thinking } = objectOf(block);
    if (type !== "thinking") continue;
    const text = listOf(thinking)
      .map((piece) => textOf(objectOf(piece)["text"]))
      .join("");
    items.push({ type: "reasoning", text, opaque: null, isSummary: false });
  }
  const parts: Part[] = [...parseContent(content, losses)];
  const refusal = textOf(message["refusal"]);
  if (refusal !== "") parts.push({ type: "refusal", text: refusal });
  for (const image of listOf(message["images"])) {
    const url = textOf(objectOf(objectOf(image)["image_url"])["url"]);
    if (url !== "") parts.push(mediaPart({ kind: "image", ...readMediaUrl(url) }));
  }
  if (asObject(message["audio"]) !== undefined) losses.add("messages[].audio");
  if (parts.length > 0) items.push({ type: "message", role: "assistant", parts });
  items.push(...parseCalls(message, at));
  return items;
}

function parseReasoning(message: JsonObject): Item[] {
  const text = textOf(message["reasoning_content"]) || textOf(message["reasoning"]);
  const items = listOf(message["reasoning_details"]).flatMap((each): Item[] => {
    const detail = objectOf(each);
    const isEncrypted = detail["type"] === "reasoning.encrypted";
    const value = textOf(isEncrypted ? detail["data"] : detail["signature"]);
    const native = { issuer: issuerOf(textOf(detail["format"])) } as const;
    const kind = isEncrypted ? "encrypted" : "signature";
    const opaque = value === "" ? null : unwrapOpaque(value, { ...native, kind });
    const isSummary = detail["type"] === "reasoning.summary";
    const shown = textOf(detail["text"]) || textOf(detail["summary"]);
    if (shown === "" && opaque === null) return [];
    return [{ type: "reasoning", text: shown, opaque, isSummary }];
  });
  if (items.length > 0 || text === "") return items;
  return [{ type: "reasoning", text, opaque: null, isSummary: false }];
}

/** The issuer that OpenRouter's name of a format stands for. */
function issuerOf(format: string): "anthropic" | "google" | "openai" | "other" {
  if (format.startsWith("anthropic")) return "anthropic";
  if (format.startsWith("google")) return "google";
  return format.startsWith("openai") ? "openai" : "other";
}

function parseCalls(message: JsonObject, at: number): Item[] {
  const calls = listOf(message["tool_calls"]).map((each): Item => {
    const call = objectOf(each);
    const { name, arguments: args } = objectOf(call["function"]);
    const { thought_signature: signature } = objectOf(objectOf(call["extra_content"])["google"]);
    const value = textOf(signature);
    const custom = asObject(call["custom"]);
    return {
      type: "tool-call",
      callId: textOf(call["id"]),
      name: textOf(name) || textOf(custom?.["name"]),
      argsText: custom === undefined ? argsOf(args) : textOf(custom["input"]),
      form: custom === undefined ? "json" : "text",
      opaque: value === "" ? null : unwrapOpaque(value, { issuer: "google", kind: "signature" }),
      cache: null,
    };
  });
  const old = asObject(message["function_call"]);
  const name = textOf(old?.["name"]);
  if (old === undefined || name === "") return calls;
  const callId = `call_function_${at}`;
  const argsText = argsOf(old["arguments"]);
  const form = "json";
  calls.push({ type: "tool-call", callId, name, argsText, form, opaque: null, cache: null });
  return calls;
}

/** Reads a content that is a text or a list of parts. */
function parseContent(content: Json | undefined, losses: Losses): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  return listOf(content).flatMap((each) => parsePart(each, losses));
}

function parsePart(each: Json, losses: Losses): readonly Part[] {
  if (typeof each === "string") return [textPart(each)];
  const part = objectOf(each);
  const type = textOf(part["type"]);
  const cache = markOf(part);
  switch (type) {
    case "text": {
      const text = textOf(part["text"]);
      return text === "" ? [] : [{ ...textPart(text), cache }];
    }
    case "refusal":
      return [{ type: "refusal", text: textOf(part["refusal"]) }];
    case "thinking": // read as reasoning
      return [];
    case "image_url": {
      const { url, detail } = objectOf(part["image_url"]);
      const given = readMediaUrl(textOf(url) || textOf(part["image_url"]));
      const seen = detail === "low" || detail === "high" ? detail : null;
      return [mediaPart({ kind: "image", ...given, detail: seen, cache })];
    }
    case "input_audio": {
      const { data, format } = objectOf(part["input_audio"]);
      const name = textOf(format) || "wav";
      const source = { type: "bytes", data: textOf(data) } as const;
      const mediaType = `audio/${name === "mp3" ? "mpeg" : name}`;
      return [mediaPart({ kind: "audio", source, mediaType, cache })];
    }
    case "video_url": {
      const url = textOf(objectOf(part["video_url"])["url"]);
      return [mediaPart({ kind: "video", ...readMediaUrl(url), cache })];
    }
    case "file": {
      const { file_id: id, file_data: data, filename } = objectOf(part["file"]);
      const fileId = textOf(id);
      const given =
        fileId === ""
          ? readFileData(textOf(data), textOf(filename))
          : { source: { type: "file-id", fileId, ...fileOwner } as const, mediaType: "" };
      const kind = kindOf(given.mediaType);
      return [mediaPart({ kind, ...given, name: textOf(filename), cache })];
    }
    default:
      losses.addGiven(type, "messages[].content[].");
      return [];
  }
}

const fileOwner = { issuer: "openai", field: "messages[].content[].file.file_id" } as const;

type GivenMedia = Pick<MediaPart, "kind" | "mediaType" | "source"> & Partial<MediaPart>;

function mediaPart(given: GivenMedia): MediaPart {
  return { type: "media", name: "", detail: null, cache: null, ...given };
}

function markOf({ cache_control: mark }: JsonObject): Breakpoint | null {
  const given = asObject(mark);
  if (given === undefined) return null;
  const { ttl } = given;
  return { ttl: ttl === "1h" || ttl === "5m" ? ttl : null };
}
