/** Answers that need no upstream: preflights, lists of models, paths nobody serves. */

import type { ClientResponse } from "#http/client-request.ts";
import type { Credential } from "#relay/stages/authenticate.ts";
import { answerHeaders, errorJson, type ErrorText, ownErrorType } from "./call-refusal.ts";
import type { Ingress } from "#relay/ingress.ts";
import { findModel, type ListDeps, listModels } from "./list-models.ts";

export type SmallRequest = {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
};

/** What needs no key. */
type OpenIngress = Exclude<Ingress, { kind: "billing" | "call" | "model" | "models" }>;

export function answerAnyone(ingress: OpenIngress, request: SmallRequest): ClientResponse {
  const { method, path, requestId } = request;
  switch (ingress.kind) {
    case "preflight":
      return {
        status: 204,
        headers: { ...preflightHeaders, "x-request-id": requestId },
        body: null,
      };
    case "unimplemented":
      return error(501, requestId, {
        type: ownErrorType,
        code: "api_not_implemented",
        message: "API not implemented",
      });
    case "unknown":
      return error(404, requestId, {
        type: "invalid_request_error",
        code: "",
        message: `Invalid URL (${method} ${path.slice(0, shownPathMax)})`,
      });
  }
}

/** Longest path that is repeated to its caller, in characters. */
const shownPathMax = 200;

/** @throws CallRefusal. */
export function answerModels(
  deps: ListDeps,
  credential: Credential,
  ingress: Extract<Ingress, { kind: "model" | "models" }>,
  requestId: string,
): ClientResponse {
  if (ingress.kind === "models") return json(listModels(deps, credential), requestId);
  const model = findModel(deps, credential, ingress.model);
  if (model !== undefined) return json(model, requestId);
  return error(404, requestId, {
    type: "invalid_request_error",
    code: "model_not_found",
    message: `The model '${ingress.model}' does not exist`,
    param: "model",
  });
}

/** Any origin, as the answers say too, and never with credentials. */
const preflightHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, PUT, DELETE, OPTIONS",
  // The star does not stand for `authorization`, and old browsers do not know it.
  "access-control-allow-headers": [
    "*",
    "authorization",
    "content-type",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "anthropic-version",
    "anthropic-beta",
    "anthropic-dangerous-direct-browser-access",
    "openai-beta",
    "openai-organization",
    "openai-project",
    "idempotency-key",
    ...["arch", "async", "helper-method", "lang", "os", "package-version", "retry-count"].map(
      (name) => `x-stainless-${name}`,
    ),
    "x-stainless-runtime",
    "x-stainless-runtime-version",
    "x-stainless-timeout",
  ].join(", "),
  "access-control-max-age": "86400",
};

function json(body: object, requestId: string): ClientResponse {
  const headers = answerHeaders(requestId, "application/json");
  return { status: 200, headers, body: JSON.stringify(body) };
}

function error(status: number, requestId: string, text: ErrorText): ClientResponse {
  const headers = answerHeaders(requestId, "application/json");
  return { status, headers, body: errorJson(text, requestId) };
}
