/**
 * Answers requests with a key that are no calls: questions, lists, and WebSockets, which have calls of
 * their own.
 */

import type { ClientFormat } from "#formats/format.ts";
import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { KeyedIngress } from "#relay/admission/ingress-keys.ts";
import { serveRealtime } from "#relay/realtime/realtime.ts";
import { openResponsesSocket } from "#relay/responses-socket/open.ts";
import type { AnswerCall } from "#relay/responses-socket/session.ts";
import type { Credential } from "#relay/call/facts.ts";
import { answerCount } from "./count-tokens.ts";
import { answerKept } from "./kept-answers.ts";
import { answerSmall } from "./small.ts";

type Other = {
  readonly ingress: Exclude<KeyedIngress, { readonly kind: "call" }>;
  readonly format: ClientFormat;
  readonly credential: Credential;
  /** Answers the calls of a WebSocket. */
  readonly answer: AnswerCall;
};

export async function answerOther(
  state: RelayState,
  request: ClientRequest,
  meta: CallMeta,
  { ingress, format, credential, answer }: Other,
): Promise<void> {
  const { deps } = state;
  const { requestId } = meta;
  if (ingress.kind === "realtime") {
    await serveRealtime({ state, request, credential, ...meta, formatId: ingress.format });
  } else if (ingress.kind === "responses-socket") {
    openResponsesSocket({ state, answer, request, credential, format, ...meta });
  } else if (ingress.kind === "count") {
    const asked = { format, requestId, credential };
    request.respond(await answerCount(state, request, ingress, asked));
  } else if (ingress.kind === "kept") {
    const { ask, id } = ingress;
    const asked = { ask, format, id, requestId, url: request.url };
    request.respond(await answerKept(deps, credential, asked));
  } else {
    const asked = { format, requestId, url: request.url };
    request.respond(await answerSmall(deps, credential, ingress, asked));
  }
}
