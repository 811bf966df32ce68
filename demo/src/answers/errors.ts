/**
 * OpenAI error bodies, worded so that nobody mistakes them for a provider's. Source:
 * https://platform.openai.com/docs/guides/error-codes.
 */

import { isObject, type Json } from "@tollgate/demo/json.ts";

export type ErrorBody = {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
};

export function errorText(error: ErrorBody): string {
  return JSON.stringify(openAiError(error));
}

export function openAiError({ message, type, param, code }: ErrorBody): Json {
  return { error: { message, type, param, code } };
}

export function openAiErrorEvent(error: Json): { readonly body: Json } {
  return { body: { error } };
}

/** Returns the words of a scripted error, for APIs whose errors are little more than that. */
export function errorWords(error: Json): string {
  const message = isObject(error) ? error["message"] : error;
  return typeof message === "string" ? message : JSON.stringify(error);
}

export function badRequest(reason: string, param: string | null): ErrorBody {
  return { message: reason, type: "invalid_request_error", param, code: null };
}

export function modelNotFound(model: string): ErrorBody {
  return {
    message:
      `The model \`${model}\` does not exist: the demo upstream has no script for it. ` +
      "See GET /v1/models.",
    type: "invalid_request_error",
    param: null,
    code: "model_not_found",
  };
}

export const keyMissing: ErrorBody = {
  message: "You didn't provide an API key. The demo upstream takes any, as a Bearer token.",
  type: "invalid_request_error",
  param: null,
  code: null,
};

/**
 * Makes the error body for a refused key. Its message quotes the whole key, as careless providers
 * do; the gateway must never pass that on.
 */
export function keyRefused(key: string): ErrorBody {
  return {
    message: `Incorrect API key provided: ${key}. (Scripted refusal of the demo upstream.)`,
    type: "invalid_request_error",
    param: null,
    code: "invalid_api_key",
  };
}

/** Makes the body of an error answer with the status that a script requests. */
export function scriptedFailure(status: number, key: string): ErrorBody {
  const failure = (type: string, code: string | null): ErrorBody => ({
    message: `Scripted failure of the demo upstream (status ${status}).`,
    type,
    param: null,
    code,
  });
  switch (status) {
    case 401:
      return keyRefused(key);
    case 403:
      return { ...keyRefused(key), code: "permission_denied" };
    case 404:
      return failure("invalid_request_error", "model_not_found");
    case 429:
      return failure("requests", "rate_limit_exceeded");
    default:
      return status < 500
        ? failure("invalid_request_error", null)
        : failure("server_error", status === 503 ? "overloaded" : null);
  }
}
