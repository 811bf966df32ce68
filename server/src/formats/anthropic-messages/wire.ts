/** What both halves of Anthropic's Messages format know of it. */

import type { Json, JsonObject } from "#base/json.ts";
import type { Breakpoint, Issuer, MediaPart } from "#canonical/request.ts";
import { kindOf } from "#formats/shared/data-url.ts";
import { asObject, objectOf, textOf } from "#formats/shared/read-json.ts";

/** The issuer of signatures that this format carries without a mark of ours. */
export const nativeIssuer: Issuer = "anthropic";

export function readBreakpoint(block: JsonObject): Breakpoint | null {
  const mark = asObject(block["cache_control"]);
  if (mark === undefined) return null;
  const { ttl } = mark;
  return { ttl: ttl === "1h" || ttl === "5m" ? ttl : null };
}

export function writeBreakpoint(cache: Breakpoint | null): JsonObject {
  if (cache === null) return {};
  const ttl = cache.ttl === null ? {} : { ttl: cache.ttl };
  return { cache_control: { type: "ephemeral", ...ttl } };
}

/** Reads an image or a document. Undefined: the block has no source that is known. */
export function readMedia(block: JsonObject): MediaPart | undefined {
  const source = objectOf(block["source"]);
  const isImage = block["type"] === "image";
  const given = readSource(source);
  if (given === undefined) return undefined;
  return {
    type: "media",
    kind: isImage ? "image" : kindOf(given.mediaType),
    ...given,
    name: textOf(block["title"]),
    detail: null,
    cache: readBreakpoint(block),
  };
}

function readSource(source: JsonObject): Pick<MediaPart, "mediaType" | "source"> | undefined {
  switch (source["type"]) {
    case "base64":
      return {
        source: { type: "bytes", data: textOf(source["data"]) },
        mediaType: textOf(source["media_type"]),
      };
    case "url":
      return { source: { type: "url", url: textOf(source["url"]) }, mediaType: "" };
    case "file":
      return { source: fileIdOf(textOf(source["file_id"])), mediaType: "" };
    case "text": {
      const data = Buffer.from(textOf(source["data"])).toString("base64");
      return { source: { type: "bytes", data }, mediaType: "text/plain" };
    }
    default:
      return undefined;
  }
}

function fileIdOf(fileId: string): MediaPart["source"] {
  const field = "messages[].content[].source.file_id";
  return { type: "file-id", fileId, issuer: nativeIssuer, field };
}

/** Image types that the format takes. Other media go as documents. */
const imageTypes: ReadonlySet<string> = new Set([
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
]);

/** Writes an image or a document. Undefined: the format cannot carry this kind of media. */
export function writeMedia(part: MediaPart): JsonObject | undefined {
  const { kind, source, mediaType, name, cache } = part;
  const mark = writeBreakpoint(cache);
  if (kind === "image") {
    const type = imageTypes.has(mediaType) ? mediaType : "image/png";
    return { type: "image", source: writeSource(part, type), ...mark };
  }
  if (kind !== "file") return undefined;
  const title = name === "" ? {} : { title: name };
  if (source.type === "bytes" && mediaType.startsWith("text/")) {
    const data = Buffer.from(source.data, "base64").toString();
    const plain = { type: "text", media_type: "text/plain", data };
    return { type: "document", source: plain, ...title, ...mark };
  }
  const type = mediaType === "" ? "application/pdf" : mediaType;
  return { type: "document", source: writeSource(part, type), ...title, ...mark };
}

function writeSource({ source }: MediaPart, mediaType: string): JsonObject {
  switch (source.type) {
    case "bytes":
      return { type: "base64", media_type: mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file-id":
      return { type: "file", file_id: source.fileId };
  }
}

/** The tool schema for tools without input, which the format cannot leave out. */
export const emptySchema: JsonObject = { type: "object", properties: {} };

/** Reads a content that is a text or a list of blocks, as blocks. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(objectOf) : [];
}
