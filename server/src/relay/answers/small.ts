/**
 * Answers that need no upstream: to preflights, requests for models, billing queries, and unknown
 * paths.
 */

import type { ClientFormat, ErrorText } from "#formats/format.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Ingress } from "#relay/ingress.ts";
import type { OpenIngress } from "#relay/admission/ingress-keys.ts";
import type { Credential } from "#relay/call/facts.ts";
import { answerBilling } from "./billing-queries.ts";
import { errorResponse, jsonResponse, ownErrorType } from "#relay/call/call-refusal.ts";
import { answerEndedCall } from "./ended-call.ts";
import { findModel, listModels } from "./list-models.ts";

type SmallRequest = {
  readonly format: ClientFormat;
  readonly requestId: string;
};

export function answerAnyone(
  ingress: OpenIngress,
  request: SmallRequest & { readonly method: string; readonly path: string },
): ClientResponse {
  const { format, method, path, requestId } = request;
  switch (ingress.kind) {
    case "preflight":
      return {
        status: 204,
        headers: { ...preflightHeaders, "x-request-id": requestId },
        body: null,
      };
    case "no-socket":
      return noSocket(format, requestId, ingress.needsSocket);
    case "unimplemented":
      return unimplemented(format, requestId);
    case "task":
    case "unknown": {
      const message = `Invalid URL (${method} ${path.slice(0, shownPathMax)})`;
      const error = { type: "invalid_request_error", code: "", message };
      return errorResponse(format, { status: 404, requestId, error });
    }
  }
}

/** By this status clients know that they have to go on over HTTP, or that they must ask for more. */
function noSocket(format: ClientFormat, requestId: string, needsSocket: boolean): ClientResponse {
  const message = needsSocket
    ? "Send an upgrade to a WebSocket here, or the request with POST"
    : "There is no WebSocket here: send the request with POST";
  const error = { type: "invalid_request_error", code: "upgrade_required", message };
  const response = errorResponse(format, { status: 426, requestId, error });
  return needsSocket ? { ...response, headers: { upgrade: "websocket" } } : response;
}

function unimplemented(format: ClientFormat, requestId: string): ClientResponse {
  const error: ErrorText = {
    type: ownErrorType,
    code: "api_not_implemented",
    message: "API not implemented",
  };
  const response = errorResponse(format, { status: 501, requestId, error });
  // Clients would otherwise repeat the request, as after other statuses from 500 on.
  return { ...response, headers: { "x-should-retry": "false" } };
}

/** The longest path that is quoted in an answer, in characters. */
const shownPathMax = 200;

/** The requests that need a key, but no channel. */
type KeyIngress = Extract<Ingress, { kind: "billing" | "generation" | "model" | "models" }>;

/**
 * Answers a billing query, or a request for the model list or for one model.
 *
 * @throws CallRefusal, also as a rejection.
 */
export function answerSmall(
  deps: RelayDeps,
  credential: Credential,
  ingress: KeyIngress,
  { format, requestId, url }: SmallRequest & { readonly url: string },
): ClientResponse | Promise<ClientResponse> {
  switch (ingress.kind) {
    case "billing":
      return answerBilling(deps, credential, ingress.query, requestId);
    case "generation":
      return answerEndedCall(deps, credential, { format, requestId, url });
    case "models":
      return jsonResponse(listModels(deps, format, credential), requestId);
    case "model": {
      const model = findModel(deps, format, credential, ingress.model);
      if (model !== undefined) return jsonResponse(model, requestId);
      const error = {
        type: "invalid_request_error",
        code: "model_not_found",
        message: `The model '${ingress.model}' does not exist`,
        param: "model",
      };
      return errorResponse(format, { status: 404, requestId, error });
    }
  }
}

/**
 * CORS headers: pages of any origin may call the relay, as for its other answers, but never with
 * cookies.
 */
const preflightHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, PUT, DELETE, OPTIONS",
  // The names are listed because `*` does not cover `authorization`, and old browsers do not
  // support `*`.
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
