/** How a call that is not served ends: a status and one JSON object in OpenAI's form. */

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

/** What a client is told of a failure. Also what the failed call's log row says. */
export type ErrorText = {
  /** `new_api_error`: ours, as the family spells it. Otherwise the upstream's word. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
};

/** Bytes an error's message may have, so that a whole answer stays below 4 KB. */
const messageBytesMax = 3_000;

/** The error as clients of OpenAI's format read it, alone in a body or in an event of a stream. */
export function errorJson(error: ErrorText, requestId: string): string {
  return JSON.stringify({
    error: {
      message: `${clip(error.message, messageBytesMax)} (request id: ${requestId})`,
      type: clip(error.type, 64),
      param: clip(error.param ?? "", 64),
      code: clip(error.code, 64),
    },
  });
}

/** At most `bytesMax` bytes of UTF-8, cut between characters. */
export function clip(text: string, bytesMax: number): string {
  // A UTF-16 unit never takes more than three bytes.
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

/** Every relay answer may be read by pages of any origin, which never sends credentials along. */
export function answerHeaders(requestId: string, contentType: string): Record<string, string> {
  return {
    "content-type": contentType,
    "access-control-allow-origin": "*",
    "x-request-id": requestId,
    "x-oneapi-request-id": requestId,
  };
}

/** The whole answer to a call that failed. */
export function errorResponse(
  status: number,
  error: ErrorText,
  requestId: string,
  retryAfterSeconds: number | null = null,
): ClientResponse {
  const headers = answerHeaders(requestId, "application/json");
  if (retryAfterSeconds !== null) headers["retry-after"] = String(retryAfterSeconds);
  return { status, headers, body: errorJson(error, requestId) };
}

/** The type of errors that are ours. */
export const ownErrorType = "new_api_error";

export function refusalResponse(refusal: CallRefusal, requestId: string): ClientResponse {
  const { status, code, message, param, retryAfterSeconds } = refusal;
  const error = { type: ownErrorType, code, message, param };
  return errorResponse(status, error, requestId, retryAfterSeconds);
}
