/** What all calls from the console's own pages have in common. */

import { refusalStatus } from "@tollgate/contract/words/refusals.ts";
import type { Logger } from "#base/logger.ts";
import { Refusal } from "#base/refusal.ts";
import type { ClientFormat } from "#formats/format.ts";
import { formats } from "#formats/registry.ts";
import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import type { ErrorTexts } from "#http/error-texts.ts";
import { apiHeaders } from "#http/security-headers.ts";
import { CallRefusal, refusalResponse } from "#relay/call/call-refusal.ts";
import { brokenByUs, wrongMediaType } from "#relay/call/refusals.ts";
import { playgroundIngress } from "#relay/ingress.ts";
import type { KnownCall, Relay } from "#relay/relay.ts";

type PageCallDeps = {
  readonly relay: Pick<Relay, "answerKnown">;
  readonly errorText: ErrorTexts;
  readonly log: Logger;
};

/** The wire format of calls from the console's own pages. */
export const pageFormat: ClientFormat = formats[playgroundIngress.format].client;

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
 * Answers a call of one of the console's own pages, also one that is refused before the relay gets
 * it. Never rejects.
 *
 * @param readCall authenticates the call and reads its body; throws `Refusal` or `CallRefusal`.
 */
export async function answerPageCall(
  { relay, errorText, log }: PageCallDeps,
  request: ClientRequest,
  meta: CallMeta,
  readCall: () => Promise<KnownCall>,
): Promise<void> {
  const { requestId } = meta;
  try {
    await relay.answerKnown(request, meta, await readCall());
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) log.error({ err: error, requestId }, "a call failed");
    const reader = { requestId, headers: request.headers };
    request.respond(refusalResponse(pageFormat, refusal ?? brokenByUs(), reader, errorText));
  }
}

/**
 * Turns a refusal of the console into one of the relay. Undefined: the error is no refusal, but a
 * bug.
 */
function refusalOf(error: unknown): CallRefusal | undefined {
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
