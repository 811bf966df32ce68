import type { ClientError } from "#formats/format.ts";
import { clipText } from "#formats/shared/clip-text.ts";

/** The largest number of bytes of an error's message. */
const messageBytesMax = 3_000;

/** The types of errors by status; the clients of the format decide by them whether to retry. */
const types: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

/** Returns the error object of the format, in the body of an answer or in an event of a stream. */
export function errorBody({ status, error, requestId }: ClientError): string {
  const type = types.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error");
  const message = `${clipText(error.message, messageBytesMax)} (request id: ${requestId})`;
  return JSON.stringify({ type: "error", error: { type, message }, request_id: requestId });
}
