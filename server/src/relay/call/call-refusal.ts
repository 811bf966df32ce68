/** The answer to a call that fails: a status, and an error in the client's format. */

import type { ClientError, ClientFormat, ErrorText } from "#formats/format.ts";
import type { ClientResponse, Fields, SharedHeaders } from "#http/client-request.ts";
import type { ErrorTexts } from "#http/error-texts.ts";
import { shareHeaders } from "#http/response-head.ts";

/**
 * An expected refusal of a call, with the answer for the client program. Any code of the relay may
 * throw it; `relay.ts` catches it and sends the answer. The console's `Refusal` has other codes and
 * another form of answer.
 */
export class CallRefusal extends Error {
  override readonly name = "CallRefusal";
  readonly status: number;
  readonly code: string;
  /** The value of the `retry-after` header; null: the answer has no such header. */
  readonly retryAfterSeconds: number | null;
  /** The request field at fault; empty: none. */
  readonly param: string;
  /** Whether the connection rests after the answer; see `http/resting.ts`. */
  readonly rests: boolean;
  /** The type of the error, in formats that name one of their own. */
  readonly type: string;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      readonly retryAfterSeconds?: number;
      readonly param?: string;
      readonly rests?: boolean;
      readonly type?: string;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
    this.param = more.param ?? "";
    this.rests = more.rests ?? false;
    this.type = more.type ?? ownErrorType;
  }
}

/**
 * Header fields of every answer of the relay. Pages of any origin may read the answer: clients
 * authenticate by key, never by cookie. No cache may keep it, because the next request for the same
 * URL may carry another key.
 */
const everyAnswer = { "access-control-allow-origin": "*", "cache-control": "no-store" } as const;

/** Answers of types that browsers would run are passed on as plain bytes. */
const passedTypes =
  /^(?:audio\/[\w.+-]+|application\/(?:json|octet-stream|x-subrip|srt|x-srt)|text\/(?:plain|vtt|srt|x-srt))$/;

/** The charsets in which upstreams write texts; one that is not told is not guessed. */
const charsets: ReadonlySet<string> = new Set([
  "big5",
  "gb18030",
  "gb2312",
  "gbk",
  "iso-8859-1",
  "shift_jis",
  "us-ascii",
  "utf-16",
  "utf-8",
  "utf8",
  "windows-1252",
]);

/** Returns the header fields of an answer that an upstream gave with this `content-type`. */
export function headersOfType(contentType: string): SharedHeaders {
  const [mediaType = "", ...parameters] = contentType.toLowerCase().split(";");
  const type = mediaType.trim();
  if (type === "application/json") return jsonHeaders;
  if (!passedTypes.test(type)) return streamHeaders("application/octet-stream");
  const named = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  const charset = named?.slice("charset=".length).replaceAll('"', "").trim() ?? "";
  return streamHeaders(charsets.has(charset) ? `${type}; charset=${charset}` : type);
}

/** Header fields of every answer that is JSON. */
export const jsonHeaders = shareHeaders({ ...everyAnswer, "content-type": "application/json" });

const byStreamType = new Map<string, SharedHeaders>();

/** Returns the header fields of streamed answers with this content type, of which formats have few. */
export function streamHeaders(contentType: string): SharedHeaders {
  const known = byStreamType.get(contentType);
  if (known !== undefined) return known;
  const made = shareHeaders({
    ...everyAnswer,
    "content-type": contentType,
    // nginx would otherwise gather events before it passes them on.
    "x-accel-buffering": "no",
  });
  byStreamType.set(contentType, made);
  return made;
}

/** Returns a JSON answer that the relay makes itself instead of passing on an upstream's. */
export function jsonResponse(body: object, requestId: string): ClientResponse {
  return { status: 200, shared: jsonHeaders, requestId, body: JSON.stringify(body) };
}

/** Who reads an error: the client's request, by its id and headers. */
type ErrorReader = { readonly requestId: string; readonly headers: Fields };

/** Returns the error in the language that the client reads. */
export function inWordsOf(reader: ErrorReader, errorText: ErrorTexts, error: ErrorText): ErrorText {
  const message = errorText(error.message, reader.headers.get("accept-language"));
  return { ...error, message };
}

/** Returns the error response to a call whose response head has not been sent yet. */
export function errorResponse(
  format: ClientFormat,
  error: ClientError,
  retryAfterSeconds: number | null = null,
): ClientResponse {
  const { requestId, status } = error;
  const response = { status, shared: jsonHeaders, requestId, body: format.errorBody(error) };
  if (retryAfterSeconds === null) return response;
  return { ...response, headers: { "retry-after": String(retryAfterSeconds) } };
}

/**
 * The error type of errors that the gateway itself causes, as one-api compatible clients know it.
 */
export const ownErrorType = "new_api_error";

export function refusalResponse(
  format: ClientFormat,
  refusal: CallRefusal,
  reader: ErrorReader,
  errorText: ErrorTexts,
): ClientResponse {
  const { status, type, code, message, param, retryAfterSeconds } = refusal;
  const error = inWordsOf(reader, errorText, { type, code, message, param });
  const { requestId } = reader;
  const response = errorResponse(format, { status, error, requestId }, retryAfterSeconds);
  return refusal.rests ? { ...response, rests: true } : response;
}
