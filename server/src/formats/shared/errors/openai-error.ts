import type { ClientError } from "#formats/format.ts";

/** The largest number of bytes of an error's message. With it the whole answer stays below 4 KB. */
const messageBytesMax = 3_000;

/** The largest number of bytes of each of the fields type, param and code. */
const wordBytesMax = 64;

/**
 * Returns the error object that OpenAI's clients read, in the body of an answer or in an event of a
 * stream.
 */
export function errorBody({ error, requestId }: ClientError): string {
  return JSON.stringify({
    error: {
      message: `${clip(error.message, messageBytesMax)} (request id: ${requestId})`,
      type: clip(error.type, wordBytesMax),
      param: clip(error.param ?? "", wordBytesMax),
      code: clip(error.code, wordBytesMax),
    },
  });
}

/** Cuts a text to `bytesMax` bytes of UTF-8, between characters. */
function clip(text: string, bytesMax: number): string {
  // In UTF-8 a UTF-16 unit takes at most three bytes, so a text that fits even then is not
  // measured.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  let bytes = 0;
  let cut = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    cut += character;
  }
  return cut;
}
