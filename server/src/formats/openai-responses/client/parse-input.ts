import type { Json, JsonObject } from "#base/json.ts";
import { type Item, type MediaPart, type Part, type Role, textPart } from "#canonical/request.ts";
import { nativeIssuer } from "#formats/openai-responses/wire.ts";
import { kindOf, readFileData, readMediaUrl } from "#formats/shared/data-url.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { unwrapOpaque } from "#formats/shared/opaque-text.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { argsOf } from "#formats/shared/tool-args.ts";
import { fullName, isOfClient, namesIn, searchTool } from "./parse-tools.ts";
import { isOwnOutcome } from "./write-outcome.ts";

/** Reads the instructions and the input: a text, or a list of items. */
export function parseInput(
  instructions: string,
  input: Json | undefined,
  losses: Losses,
): readonly Item[] {
  const items: Item[] = [];
  if (instructions !== "") items.push(messageOf("system", [textPart(instructions)]));
  if (typeof input === "string") items.push(messageOf("user", [textPart(input)]));
  else {
    const list = listOf(input).map(objectOf);
    const searches = new Set(list.filter(isOwnSearch).map((item) => item["call_id"]));
    for (const each of list) {
      items.push(...(parseSearch(each, searches) ?? parseItem(each, losses)));
    }
  }
  return items;
}

/** Whether the item is the call of a search for tools that the client runs. */
function isOwnSearch(item: JsonObject): boolean {
  return item["type"] === "tool_search_call" && isOfClient(item);
}

/**
 * Reads a search for tools that the client has run: its call, and what it found, whose definitions
 * are read with the tools of the request. Undefined: the item is none.
 */
function parseSearch(
  item: JsonObject,
  searches: ReadonlySet<Json | undefined>,
): readonly Item[] | undefined {
  const callId = textOf(item["call_id"]);
  if (isOwnSearch(item)) {
    const argsText = argsOf(item["arguments"] ?? {});
    const call = { callId, name: searchTool, argsText, form: "json" } as const;
    return [{ type: "tool-call", ...call, opaque: null, cache: null }];
  }
  if (item["type"] !== "tool_search_output" || !searches.has(item["call_id"])) return undefined;
  const parts = [textPart(JSON.stringify({ tools: namesIn(item) }))];
  const result = { callId, name: searchTool, parts, failed: false } as const;
  return [{ type: "tool-result", ...result, cache: null }];
}

function messageOf(role: Role, parts: readonly Part[]): Item {
  return { type: "message", role, parts };
}

function parseItem(item: JsonObject, losses: Losses): readonly Item[] {
  const type = textOf(item["type"]) || "message";
  const callId = textOf(item["call_id"]);
  switch (type) {
    case "message": {
      const parts = parseContent(item["content"], losses);
      return parts.length === 0 ? [] : [messageOf(roleOf(textOf(item["role"])), parts)];
    }
    case "reasoning":
      return parseReasoning(item);
    case "function_call":
    case "custom_tool_call": {
      const isCustom = type === "custom_tool_call";
      const name = fullName(textOf(item["name"]), textOf(item["namespace"]));
      const argsText = isCustom ? textOf(item["input"]) : argsOf(item["arguments"]);
      const form = isCustom ? "text" : "json";
      return [{ type: "tool-call", callId, name, argsText, form, opaque: null, cache: null }];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const parts = parseContent(item["output"], losses);
      return [{ type: "tool-result", callId, name: "", parts, failed: false, cache: null }];
    }
    case "agent_message":
      return [messageOf("user", parseContent(item["content"], losses))];
    case "additional_tools": // read with the tools of the request
      return [];
    default:
      if (isOwnOutcome(item)) return [];
      return [{ type: "hosted", kind: type, role: "assistant", issuer: nativeIssuer, raw: item }];
  }
}

function roleOf(role: string): Role {
  if (role === "assistant") return role;
  return role === "system" || role === "developer" ? "system" : "user";
}

/**
 * Reads reasoning. Values that another format's provider issued were put into `encrypted_content`
 * with a mark of ours.
 */
function parseReasoning(item: JsonObject): readonly Item[] {
  const pieces = [...listOf(item["summary"]), ...listOf(item["content"])];
  const text = pieces.map((piece) => textOf(objectOf(piece)["text"])).join("");
  const value = textOf(item["encrypted_content"]);
  const given = unwrapOpaque(value, { issuer: nativeIssuer, kind: "encrypted" });
  const opaque = value === "" ? null : { ...given, id: given.id || textOf(item["id"]) };
  const isSummary = listOf(item["content"]).length === 0;
  return text === "" && opaque === null ? [] : [{ type: "reasoning", text, opaque, isSummary }];
}

/** Reads a content that is a text or a list of parts. */
function parseContent(content: Json | undefined, losses: Losses): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  return listOf(content).flatMap((each) => parsePart(objectOf(each), losses));
}

function parsePart(part: JsonObject, losses: Losses): readonly Part[] {
  const type = textOf(part["type"]);
  switch (type) {
    case "input_text":
    case "output_text":
    case "text": {
      const text = textOf(part["text"]);
      return text === "" ? [] : [textPart(text)];
    }
    case "refusal":
      return [{ type: "refusal", text: textOf(part["refusal"]) }];
    case "input_image": {
      const { detail } = part;
      const seen = detail === "low" || detail === "high" ? detail : null;
      return [{ ...parseFile(part, textOf(part["image_url"])), kind: "image", detail: seen }];
    }
    case "input_file":
      return [parseFile(part, textOf(part["file_url"]))];
    case "input_audio": {
      const { data, format } = objectOf(part["input_audio"]);
      const name = textOf(format) || "wav";
      const mediaType = `audio/${name === "mp3" ? "mpeg" : name}`;
      const source = { type: "bytes", data: textOf(data) } as const;
      return [{ ...noMedia, kind: "audio", source, mediaType }];
    }
    default:
      losses.addGiven(type, "input[].content[].");
      return [];
  }
}

const noMedia: MediaPart = {
  type: "media",
  kind: "file",
  source: { type: "url", url: "" },
  mediaType: "",
  name: "",
  detail: null,
  cache: null,
};

function parseFile(part: JsonObject, url: string): MediaPart {
  const fileId = textOf(part["file_id"]);
  const name = textOf(part["filename"]);
  if (fileId !== "") {
    const field = "input[].content[].file_id";
    return {
      ...noMedia,
      source: { type: "file-id", fileId, issuer: nativeIssuer, field },
      name,
    };
  }
  const given = url === "" ? readFileData(textOf(part["file_data"]), name) : readMediaUrl(url);
  return { ...noMedia, ...given, kind: kindOf(given.mediaType), name };
}
