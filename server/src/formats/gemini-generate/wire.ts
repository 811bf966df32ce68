/** What both halves of Gemini's format know of it. */

import type { Json, JsonObject } from "#base/json.ts";
import type { Issuer, MediaPart } from "#canonical/request.ts";
import { kindOf } from "#formats/shared/data-url.ts";
import { asObject, textOf } from "#formats/shared/read-json.ts";

/** The issuer of thought signatures. */
export const nativeIssuer: Issuer = "google";

/**
 * What Google documents for calls that another model made: newer models refuse a call without a
 * signature.
 */
export const standIn = "skip_thought_signature_validator";

/**
 * Returns a field by its name in camelCase. Servers take snake_case as well, and some clients write
 * it.
 */
export function field(object: JsonObject, name: string): Json | undefined {
  const value = object[name];
  return value ?? object[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** Reads the media of a part. Undefined: it has none. */
export function readMedia(part: JsonObject): MediaPart | undefined {
  const inline = asObject(field(part, "inlineData"));
  const file = asObject(field(part, "fileData"));
  if (inline === undefined && file === undefined) return undefined;
  const mediaType = textOf(field(inline ?? file ?? {}, "mimeType"));
  const source =
    inline === undefined
      ? fileSource(textOf(field(file ?? {}, "fileUri")))
      : ({ type: "bytes", data: textOf(inline["data"]) } as const);
  return {
    type: "media",
    kind: kindOf(mediaType),
    source,
    mediaType,
    name: textOf(field(inline ?? file ?? {}, "displayName")),
    detail: null,
    cache: null,
  };
}

/** Matches addresses that only Google can read: files that were sent there, and its buckets. */
const ownFile = /^(gs:|https:\/\/generativelanguage\.googleapis\.com\/)/;

function fileSource(url: string): MediaPart["source"] {
  if (!ownFile.test(url)) return { type: "url", url };
  const name = "contents[].parts[].fileData.fileUri";
  return { type: "file-id", fileId: url, issuer: nativeIssuer, field: name };
}

/** Writes media. Undefined: it is a file of another provider. */
export function writeMedia({ kind, source, mediaType }: MediaPart): JsonObject | undefined {
  const mimeType =
    mediaType === "" ? fallbackType(kind, source.type === "url" ? source.url : "") : mediaType;
  switch (source.type) {
    case "bytes":
      return { inlineData: { mimeType, data: source.data } };
    case "url":
      return { fileData: { mimeType, fileUri: source.url } };
    case "file-id":
      return source.issuer === nativeIssuer
        ? { fileData: { mimeType, fileUri: source.fileId } }
        : undefined;
  }
}

/** Media types by the ending of a URL, for clients that name none. */
const typesByEnding: ReadonlyMap<string, string> = new Map([
  ["gif", "image/gif"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["txt", "text/plain"],
  ["wav", "audio/wav"],
  ["webp", "image/webp"],
]);

function fallbackType(kind: MediaPart["kind"], url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  const known = typesByEnding.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  if (known !== undefined) return known;
  switch (kind) {
    case "image":
      return "image/png";
    case "audio":
      return "audio/wav";
    case "video":
      return "video/mp4";
    case "file":
      return "application/pdf";
  }
}
