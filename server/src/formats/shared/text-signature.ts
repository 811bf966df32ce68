import type { MessageItem, Opaque } from "#canonical/request.ts";

/** Returns the signature of a message's text. Null: the text is not signed. */
export function textSignature({ parts }: MessageItem): Opaque | null {
  for (const part of parts) if (part.type === "text" && part.opaque !== null) return part.opaque;
  return null;
}
