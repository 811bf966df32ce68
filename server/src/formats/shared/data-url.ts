import type { MediaKind, MediaPart, MediaSource } from "#canonical/request.ts";

/** Splits a data URL, or returns the URL as it is. */
export function readMediaUrl(url: string): Pick<MediaPart, "mediaType" | "source"> {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  if (comma < 0) return { source: { type: "url", url }, mediaType: "" };
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).split(";");
  const text = url.slice(comma + 1);
  const isBase64 = parameters.includes("base64");
  const data = isBase64 ? text : Buffer.from(unescaped(text)).toString("base64");
  return { source: { type: "bytes", data }, mediaType };
}

/** A text that is not escaped as addresses are is meant as it stands. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the data of a file: a data URL, an address, or base64 alone, whose type is told by the
 * file's name, or else by its first bytes.
 */
export function readFileData(
  data: string,
  fileName: string,
): Pick<MediaPart, "mediaType" | "source"> {
  const isAddress = /^\s*(?:data:|[a-z][a-z\d+.-]{0,20}:\/\/)/i.test(data);
  const bytes = isAddress ? "" : data.replaceAll(/\s/g, "");
  if (bytes === "" || !/^[\w+/-]+={0,2}$/.test(bytes)) return readMediaUrl(data);
  const ending = fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
  const known =
    mediaTypes.get(ending) ?? beginnings.find(([start]) => bytes.startsWith(start))?.[1];
  return { source: { type: "bytes", data: bytes }, mediaType: known ?? "" };
}

/** Types of files that models read, by the ending of the name. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["gif", "image/gif"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["mp3", "audio/mpeg"],
  ["mp4", "video/mp4"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["txt", "text/plain"],
  ["wav", "audio/wav"],
  ["webm", "video/webm"],
  ["webp", "image/webp"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["xml", "text/xml"],
]);

/** How files of some types begin, in base64. */
const beginnings: readonly (readonly [start: string, mediaType: string])[] = [
  ["JVBERi0", "application/pdf"],
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["SUQz", "audio/mpeg"],
];

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
