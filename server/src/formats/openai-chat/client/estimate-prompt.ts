/**
 * Estimates the tokens of a request by its bytes, for requests that are too long for the tokenizer.
 */

import { scanObject } from "#base/json-scan.ts";
import { tokensOf, weighText } from "#base/text-weight.ts";
import { countMedia, noMedia } from "./media-parts.ts";
import { imageTokens } from "./prompt-text.ts";

/**
 * Estimates everything except media as text, so that text without blanks is never mistaken for an
 * image. Only message parts whose type is a media type count a fixed number of tokens each.
 */
export function estimatePrompt(bytes: Uint8Array): number {
  const { errorAt, values } = scanObject(bytes, ["messages"]);
  const messages = errorAt >= 0 ? undefined : values.get("messages");
  const media = messages === undefined ? noMedia : countMedia(bytes, messages);
  let weight = 0;
  let textStart = 0;
  for (let at = 0; at < media.spans.length; at += 2) {
    weight += weighText(bytes, textStart, media.spans[at] ?? 0);
    textStart = media.spans[at + 1] ?? 0;
  }
  weight += weighText(bytes, textStart, bytes.length);
  return tokensOf(weight) + media.count * imageTokens;
}
