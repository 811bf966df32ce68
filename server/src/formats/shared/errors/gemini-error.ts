import type { ClientError } from "#formats/format.ts";
import { clipText } from "#formats/shared/clip-text.ts";

/** The largest number of bytes of an error's message. */
const messageBytesMax = 3_000;

/** The names of Google's error codes by HTTP status. */
const statuses: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [409, "ABORTED"],
  [413, "INVALID_ARGUMENT"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [500, "INTERNAL"],
  [501, "UNIMPLEMENTED"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);

/** Returns the error object of the format, in the body of an answer or in an event of a stream. */
export function errorBody({ status, error, requestId }: ClientError): string {
  const word = statuses.get(status) ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
  const message = `${clipText(error.message, messageBytesMax)} (request id: ${requestId})`;
  return JSON.stringify({ error: { code: status, message, status: word } });
}
