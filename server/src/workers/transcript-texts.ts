/** Turns what was gathered of calls into texts, in the worker that stores them. */

import { formats } from "#formats/registry.ts";
import type { EndedCall } from "#modules/transcripts/transcripts.store.ts";
import type { CallMessage } from "./messages.ts";

/** Replaces the bytes in the input of `transcripts.keep` by texts; other messages stay. */
export function withTexts(message: CallMessage): CallMessage {
  if (message.noun !== "transcripts" || message.name !== "keep") return message;
  // Safe cast: the type `RemoteStore` has made the caller pass the input of `keep`.
  const [keeping] = message.input as [{ readonly calls: readonly EndedCall[] }];
  return { ...message, input: [{ ...keeping, calls: keeping.calls.map(readTexts) }] };
}

function readTexts(call: EndedCall): EndedCall {
  const { formatId, isStream, completion } = call;
  if (!isStream || typeof completion === "string" || !isFormat(formatId)) return call;
  try {
    return { ...call, completion: formats[formatId].client.stream.assemble(completion) };
  } catch {
    // Stored as it came. What one call got does not cost the others their texts.
    return call;
  }
}

function isFormat(id: string): id is keyof typeof formats {
  return Object.hasOwn(formats, id);
}
