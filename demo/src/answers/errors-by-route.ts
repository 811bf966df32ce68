/** Errors in the shape of each API, as bodies and as events of streams. */

import type { AnswerPart } from "@tollgate/demo/answer.ts";
import { isObject, type Json } from "@tollgate/demo/json.ts";
import type { Route } from "@tollgate/demo/routes.ts";
import { type ErrorBody, errorText } from "./errors.ts";

/** Source: https://docs.anthropic.com/en/api/errors. */
const messagesTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Source: https://ai.google.dev/gemini-api/docs/troubleshooting. */
const geminiStatuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Returns the JSON body of an error with the status. */
export function errorBodyText(route: Route, status: number, error: ErrorBody): string {
  const { message } = error;
  switch (route) {
    case "gemini":
      return JSON.stringify({
        error: { code: status, message, status: geminiStatuses[status] ?? "INTERNAL" },
      });
    case "messages":
      return JSON.stringify({
        type: "error",
        error: { type: messagesTypes[status] ?? "api_error", message },
      });
    case "chat":
    case "completions":
    case "embeddings":
    case "responses":
      return errorText(error);
  }
}

/** Returns the event by which a stream of the route reports an error. */
export function errorEventPart(route: Route, error: Json): AnswerPart {
  const part = { kind: "finish", pieces: 0 } as const;
  if (route === "messages") {
    return { ...part, event: "error", text: JSON.stringify({ type: "error", error }) };
  }
  if (route === "responses" && isObject(error)) {
    return { ...part, event: "error", text: JSON.stringify({ type: "error", ...error }) };
  }
  return { ...part, text: JSON.stringify({ error }) };
}
