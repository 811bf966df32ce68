import type { UpstreamFault } from "#canonical/event.ts";
import { formats } from "#formats/registry.ts";

/** Error codes and types that mean that the channel cannot serve, whatever the status. */
const channelWords: ReadonlySet<string> = new Set([
  "DeploymentNotFound",
  "access_terminated",
  "account_deactivated",
  "authentication_error",
  "billing_error",
  "billing_not_active",
  "forbidden",
  "insufficient_quota",
  "insufficient_user_quota",
  "invalid_api_key",
  "model_not_found",
  "permission_error",
]);

/** Matches the messages with which xAI and Gemini report a wrong key under status 400. */
const wrongKey =
  /(incorrect|invalid|not valid).{0,40}api.?key|api.?key.{0,40}(incorrect|invalid|not valid)/is;

/** The message of an error answer that gives no message of its own. */
export function plainFault(status: number): string {
  return `bad response status code ${status}`;
}

/**
 * Reads an upstream's error answer in any of the forms that vendors use. If the body has no
 * readable error, as with HTML or an empty body, the status decides.
 */
export function readFault(status: number, body: string): UpstreamFault {
  const error = formats["openai-chat"].upstream.readErrorBody(parse(body));
  const code = error?.code ?? "";
  const type = error?.type ?? "";
  const message = error?.message ?? "";
  const channelFault =
    status === 401 ||
    status === 402 ||
    status === 403 ||
    status === 404 ||
    channelWords.has(code) ||
    channelWords.has(type) ||
    (status === 400 && wrongKey.test(message));
  const passing = status < 400 || status === 408 || status === 429 || status >= 500;
  return {
    code: code || type || `http-${status}`,
    message: message || plainFault(status),
    retryable: channelFault || passing,
    channelFault,
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
