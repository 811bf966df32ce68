/**
 * Counts the tokens of a request's prompt. It takes milliseconds, so it does not run in the
 * relaying thread.
 */

import { parseForeign } from "#base/json.ts";
import { tokensOf, weighText } from "#base/text-weight.ts";
import type { ClientFormat } from "#formats/format.ts";

/** The longest request that is parsed and counted exactly, in bytes; longer ones are estimated. */
const requestBytesMax = 256 * 1024;

/** The longest text that is counted exactly, in bytes. */
const textBytesMax = 64 * 1024;

/**
 * Counts the tokens of a request's prompt.
 *
 * @param count counts the tokens of a text by the model's encoding.
 */
export function countPrompt(
  format: ClientFormat,
  bytes: Uint8Array,
  count: (text: string) => number,
): number {
  if (bytes.length > requestBytesMax) return format.estimatePrompt(bytes);
  const { text, extraTokens } = format.readPrompt(parse(bytes));
  if (Buffer.byteLength(text) <= textBytesMax) return count(text) + extraTokens;
  // `weighText` weighs the text as it is written inside a JSON string.
  const jsonText = Buffer.from(JSON.stringify(text));
  return tokensOf(weighText(jsonText, 0, jsonText.length)) + extraTokens;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseForeign(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
