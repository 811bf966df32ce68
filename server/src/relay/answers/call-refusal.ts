/** How a call that is not served ends: a status and an error in the form of the client's format. */

import type { ClientError, ClientFormat } from "#formats/format.ts";
import type { ClientResponse } from "#http/client-request.ts";

/**
 * An expected "no" to a client program. Thrown anywhere below `relay.ts`, which answers it. The
 * console's `Refusal` is another thing: other codes, another envelope.
 */
export class CallRefusal extends Error {
  override readonly name = "CallRefusal";
  readonly status: number;
  readonly code: string;
  /** Null: the client is not told when to come back. */
  readonly retryAfterSeconds: number | null;
  /** The field at fault; empty: none. */
  readonly param: string;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly retryAfterSeconds?: number; readonly param?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
    this.param = more.param ?? "";
  }
}

/** Every relay answer may be read by pages of any origin, which never sends credentials along. */
export function answerHeaders(requestId: string, contentType: string): Record<string, string> {
  return {
    "content-type": contentType,
    "access-control-allow-origin": "*",
    "x-request-id": requestId,
    "x-oneapi-request-id": requestId,
  };
}

/** An answer whose body is JSON made here. */
export function jsonResponse(body: object, requestId: string): ClientResponse {
  const headers = answerHeaders(requestId, "application/json");
  return { status: 200, headers, body: JSON.stringify(body) };
}

/** The whole answer to a call that failed. */
export function errorResponse(
  format: ClientFormat,
  error: ClientError,
  retryAfterSeconds: number | null = null,
): ClientResponse {
  const headers = answerHeaders(error.requestId, "application/json");
  if (retryAfterSeconds !== null) headers["retry-after"] = String(retryAfterSeconds);
  return { status: error.status, headers, body: format.errorBody(error) };
}

/** The type of errors that are ours. */
export const ownErrorType = "new_api_error";

export function refusalResponse(
  format: ClientFormat,
  refusal: CallRefusal,
  requestId: string,
): ClientResponse {
  const { status, code, message, param, retryAfterSeconds } = refusal;
  const error = { type: ownErrorType, code, message, param };
  return errorResponse(format, { status, error, requestId }, retryAfterSeconds);
}
