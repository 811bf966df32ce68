/** Counts and estimates prompts of formats whose requests are one JSON object. */

import { tokensOf, weighText } from "#base/text-weight.ts";
import type { Json } from "#base/json.ts";
import type { PromptText } from "#formats/format.ts";
import { countMedia } from "./count-media.ts";
import { asObject } from "./read-json.ts";

/** Tokens of an image of 1,000 × 1,000 pixels. */
const imageTokens = 765;

/** Tokens that each message has besides its text. */
const messageTokens = 3;

/** Fields of a request that are no text for the model. */
const silentKeys: ReadonlySet<string> = new Set([
  "cache_control",
  "call_id",
  "data",
  "encrypted_content",
  "file_data",
  "file_id",
  "id",
  "image_url",
  "include",
  "inlineData",
  "inline_data",
  "media_type",
  "metadata",
  "mimeType",
  "model",
  "role",
  "signature",
  "thoughtSignature",
  "tool_use_id",
  "type",
  "url",
]);

/** Returns the text of a prompt and an estimate for its parts that are not text. */
export function readPromptText(body: unknown): PromptText {
  const texts: string[] = [];
  let extraTokens = 0;
  const visit = (value: Json | undefined): void => {
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else {
      const object = asObject(value);
      if (object === undefined) return;
      if (object["role"] !== undefined) extraTokens += messageTokens;
      const isMedia =
        object["source"] !== undefined ||
        object["image_url"] !== undefined ||
        object["inlineData"] !== undefined ||
        object["file_data"] !== undefined;
      if (isMedia) extraTokens += imageTokens;
      for (const [key, each] of Object.entries(object)) if (!silentKeys.has(key)) visit(each);
    }
  };
  // Safe cast: the body was parsed from JSON.
  visit(body as Json);
  return { text: texts.join(" "), extraTokens };
}

/** Estimates the tokens of a request by its bytes. */
export function estimateBody(bytes: Uint8Array): number {
  const media = countMedia(bytes);
  let weight = 0;
  let textStart = 0;
  for (let at = 0; at < media.spans.length; at += 2) {
    weight += weighText(bytes, textStart, media.spans[at] ?? 0);
    textStart = media.spans[at + 1] ?? 0;
  }
  weight += weighText(bytes, textStart, bytes.length);
  return tokensOf(weight) + media.count * imageTokens;
}
