import type { CanonicalRequest, MediaKind, MediaPart } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { unsupported } from "./refuse.ts";

/** What media of a conversation a format can carry. */
type MediaLimits = {
  readonly kinds: readonly MediaKind[];
  /** Whether the upstream fetches media by their URL. */
  readonly urls: boolean;
};

/**
 * Refuses a conversation with media that the upstream's format cannot carry, because the model would
 * answer without having seen them. Undefined: it can carry all.
 */
export function refuseMedia(
  { items }: CanonicalRequest,
  { kinds, urls }: MediaLimits,
): BodyRefusal | undefined {
  for (const item of items) {
    if (item.type !== "message" && item.type !== "tool-result") continue;
    for (const part of item.parts) {
      if (part.type !== "media" || isPlainFile(part)) continue;
      const { kind, source } = part;
      if (!kinds.includes(kind)) {
        return unsupported("messages", `the upstream takes no content of type ${kind}`);
      }
      if (source.type === "file-id") {
        return unsupported(
          "messages",
          "the upstream has no files of another provider; send the bytes",
        );
      }
      if (source.type === "url" && !urls) {
        return unsupported("messages", `the upstream fetches no URLs; send the ${kind} as base64`);
      }
    }
  }
  return undefined;
}

/** Whether a file is plain text, which every format can carry as text. */
export function isPlainFile({ kind, source, mediaType }: MediaPart): boolean {
  return kind === "file" && source.type === "bytes" && mediaType.startsWith("text/");
}

/** Returns the text of a plain file. */
export function fileText({ source }: MediaPart): string {
  return source.type === "bytes" ? Buffer.from(source.data, "base64").toString() : "";
}
