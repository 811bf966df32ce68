/** What all calls from the console's own pages have in common. */

import { refusalStatus } from "@tollgate/contract/refusals.ts";
import { Refusal } from "#base/refusal.ts";
import type { ClientRequest } from "#http/client-request.ts";
import { apiHeaders } from "#http/security-headers.ts";
import { CallRefusal } from "#relay/answers/call-refusal.ts";
import { wrongMediaType } from "#relay/answers/refusals.ts";

const ours = { plain: apiHeaders(false), secure: apiHeaders(true) };

/**
 * Makes sure that only the console's own pages can read the answer to a request: removes the header
 * by which the relay lets pages of any origin read its answers.
 *
 * @param secure whether the browser uses HTTPS.
 */
export function keepToOwnPages(request: ClientRequest, secure: boolean): void {
  request.changeHead(({ shared, headers, ...head }) => {
    const { "access-control-allow-origin": _, ...kept } = { ...shared?.headers, ...headers };
    return { ...head, headers: { ...(secure ? ours.secure : ours.plain), ...kept } };
  });
}

/**
 * Requires a body of JSON. A page of another origin cannot send one without asking the server
 * first, which refuses.
 *
 * @throws CallRefusal.
 */
export function requireJson({ headers }: Pick<ClientRequest, "headers">): void {
  const mediaType = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (mediaType.trim().toLowerCase() !== "application/json") throw wrongMediaType();
}

/**
 * Turns a refusal of the console into one of the relay. Undefined: the error is no refusal, but a
 * bug.
 */
export function refusalOf(error: unknown): CallRefusal | undefined {
  if (error instanceof CallRefusal) return error;
  if (!(error instanceof Refusal)) return undefined;
  const { code, message, retryAfterMs } = error;
  const status = refusalStatus[code];
  return new CallRefusal(
    // The console answers some refusals with status 200, which a client would take for a success.
    status < 400 ? 403 : status,
    code.replaceAll("-", "_"),
    message,
    retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) },
  );
}
