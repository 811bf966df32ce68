import type { ClientError } from "#formats/format.ts";
import { clipText } from "#formats/shared/clip-text.ts";

/** The largest number of bytes of an error's message. */
const messageBytesMax = 3_000;

/** Returns the error object that OpenAI's clients read. */
export function errorBody({ error, requestId }: ClientError): string {
  const message = `${clipText(error.message, messageBytesMax)} (request id: ${requestId})`;
  const { type, code, param = "" } = error;
  return JSON.stringify({
    error: { message, type, param: param === "" ? null : param, code: code === "" ? null : code },
  });
}
