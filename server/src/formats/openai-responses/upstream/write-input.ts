import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Item, MediaPart, Part } from "#canonical/request.ts";
import { nativeIssuer } from "#formats/openai-responses/wire.ts";
import { mediaUrl } from "#formats/shared/data-url.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { itemsOf } from "#formats/shared/opaque-item.ts";
import { pairTools } from "#formats/shared/pair-tools.ts";
import { renameCalls, shortId } from "#formats/shared/tool-ids.ts";

export type Input = {
  readonly instructions: string;
  readonly items: readonly JsonObject[];
  /** Whether a call of an earlier turn has no encrypted reasoning before it. */
  readonly unsignedCalls: boolean;
};

/** Writes the conversation. System messages at its beginning are the instructions. */
export function writeInput(request: CanonicalRequest, losses: Losses): Input {
  const paired = pairTools(request.items);
  losses.addIf(paired.orphans > 0, "tool results without a call");
  const items = renameCalls(paired.items, shortId);
  const first = items.findIndex((item) => item.type !== "message" || item.role !== "system");
  const spoken = first < 0 ? items.length : first;
  const instructions = items
    .slice(0, spoken)
    .map(textOfItem)
    .filter((text) => text !== "");
  const calls = new Set(
    request.tools.flatMap((tool) => (tool.type === "custom" ? [tool.name] : [])),
  );
  const customIds = new Set<string>();
  let signed = false;
  let unsignedCalls = false;
  const written = items.slice(spoken).flatMap((item): readonly JsonObject[] => {
    if (item.type === "reasoning") {
      signed ||= item.opaque?.issuer === nativeIssuer && item.opaque.kind !== "item";
    } else if (item.type === "tool-result") signed = false;
    else if (item.type === "tool-call") {
      unsignedCalls ||= !signed;
      if (item.form === "text" && calls.has(item.name)) customIds.add(item.callId);
    }
    return writeItem(item, customIds, losses);
  });
  return { instructions: instructions.join("\n\n"), items: written, unsignedCalls };
}

function textOfItem(item: Item): string {
  if (item.type !== "message") return "";
  return item.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function writeItem(
  item: Item,
  customIds: ReadonlySet<string>,
  losses: Losses,
): readonly JsonObject[] {
  switch (item.type) {
    case "message": {
      const isOwn = item.role === "assistant";
      const content = item.parts.flatMap((part) =>
        isOwn ? writeOutput(part, losses) : writePart(part, losses),
      );
      if (content.length === 0) return [];
      const role = item.role === "system" ? "developer" : item.role;
      return [{ type: "message", role, content }];
    }
    case "reasoning": {
      const { text, opaque } = item;
      if (opaque?.issuer !== nativeIssuer) {
        losses.add("reasoning of earlier turns");
        return [];
      }
      if (opaque.kind === "item") return itemsOf(opaque.value);
      const summary = text === "" ? [] : [{ type: "summary_text", text }];
      const id = opaque.id === "" ? {} : { id: opaque.id };
      return [{ type: "reasoning", ...id, summary, encrypted_content: opaque.value }];
    }
    case "tool-call": {
      const { callId, name, argsText } = item;
      if (customIds.has(callId)) {
        return [{ type: "custom_tool_call", call_id: callId, name, input: argsText }];
      }
      const args = argsText.trim() === "" ? "{}" : argsText;
      return [{ type: "function_call", call_id: callId, name, arguments: args }];
    }
    case "tool-result": {
      const type = customIds.has(item.callId) ? "custom_tool_call_output" : "function_call_output";
      return [{ type, call_id: item.callId, output: writeResult(item.parts, losses) }];
    }
    case "hosted":
      if (item.issuer === nativeIssuer) return [item.raw];
      losses.addGiven(item.kind);
      return [];
  }
}

/** A result is a text unless it has media. */
function writeResult(parts: readonly Part[], losses: Losses): Json {
  if (parts.some((part) => part.type === "media")) {
    return parts.flatMap((part) => writePart(part, losses));
  }
  return parts.map((part) => (part.type === "media" ? "" : part.text)).join("");
}

function writeOutput(part: Part, losses: Losses): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return [{ type: "output_text", text: part.text, annotations: [] }];
    case "refusal":
      return [{ type: "refusal", refusal: part.text }];
    case "media":
      losses.add("media of earlier answers");
      return [];
  }
}

function writePart(part: Part, losses: Losses): readonly JsonObject[] {
  if (part.type !== "media") return [{ type: "input_text", text: part.text }];
  switch (part.kind) {
    case "image": {
      const { source, mediaType } = part;
      const detail = part.detail ?? "auto";
      if (source.type === "file-id") {
        return [{ type: "input_image", file_id: source.fileId, detail }];
      }
      return [{ type: "input_image", image_url: mediaUrl(source, mediaType) ?? "", detail }];
    }
    case "audio": {
      if (part.source.type !== "bytes") break;
      const format = /mpeg|mp3/.test(part.mediaType) ? "mp3" : "wav";
      return [{ type: "input_audio", input_audio: { data: part.source.data, format } }];
    }
    case "file":
      return [writeFile(part)];
    case "video":
      break;
  }
  losses.add(part.kind);
  return [];
}

function writeFile({ source, mediaType, name }: MediaPart): JsonObject {
  switch (source.type) {
    case "file-id":
      return { type: "input_file", file_id: source.fileId };
    case "url":
      return { type: "input_file", file_url: source.url };
    case "bytes": {
      const [, ending = "bin"] = mediaType.split("/");
      const filename = name === "" ? `file.${ending === "plain" ? "txt" : ending}` : name;
      return { type: "input_file", filename, file_data: mediaUrl(source, mediaType) ?? "" };
    }
  }
}
