import type { MediaKind, MediaPart, MediaSource } from "#canonical/request.ts";

/** Splits a data URL, or returns the URL as it is. */
export function readMediaUrl(url: string): Pick<MediaPart, "mediaType" | "source"> {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  if (comma < 0) return { source: { type: "url", url }, mediaType: "" };
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).split(";");
  const text = url.slice(comma + 1);
  const isBase64 = parameters.includes("base64");
  const data = isBase64 ? text : Buffer.from(decodeURIComponent(text)).toString("base64");
  return { source: { type: "bytes", data }, mediaType };
}

/** Returns the URL of a source, as a data URL if it has bytes. Undefined: it is a provider's file. */
export function mediaUrl(source: MediaSource, mediaType: string): string | undefined {
  if (source.type === "url") return source.url;
  if (source.type === "file-id") return undefined;
  return `data:${mediaType === "" ? "application/octet-stream" : mediaType};base64,${source.data}`;
}

/** Returns the kind of media by its type; `file` if the type says nothing. */
export function kindOf(mediaType: string): MediaKind {
  const [main] = mediaType.split("/");
  return main === "image" || main === "audio" || main === "video" ? main : "file";
}
