/** Opens WebSockets for responses, and says which requests for a WebSocket get none. */

import { HeldBytes } from "#base/memory/byte-budget.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { CallMeta, ClientRequest } from "#http/client-request.ts";
import { tooManySockets } from "#relay/call/refusals.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { Ingress } from "#relay/ingress.ts";
import { keysOffered } from "#relay/admission/ingress-keys.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { RelayOptions } from "#ports/snapshot.ts";
import { type AnswerCall, ResponsesSession } from "./session.ts";
import { turnHeaders } from "./turn.ts";

/** How many WebSockets for responses a user may have open at the same time. */
const socketsPerUserMax = 256;

/**
 * Finds what a request for a WebSocket is answered where none is served. Clients that get 426 go on
 * over HTTP at once; after any other status they try again.
 */
export function withoutSocket(
  ingress: Ingress,
  { headers }: Pick<ClientRequest, "headers">,
  { takesResponsesSockets }: Pick<RelayOptions, "takesResponsesSockets">,
): Ingress {
  const { format, kind } = ingress;
  const mayHave = kind === "responses-socket";
  if (!mayHave && kind !== "unimplemented" && kind !== "unknown") return ingress;
  const asks = (headers.get("upgrade") ?? "").toLowerCase().includes("websocket");
  if (mayHave ? asks && takesResponsesSockets : !asks) return ingress;
  return { kind: "no-socket", format, needsSocket: mayHave && takesResponsesSockets };
}

type Opening = CallMeta & {
  readonly state: RelayState;
  readonly answer: AnswerCall;
  readonly request: ClientRequest;
  readonly credential: Credential;
  readonly format: ClientFormat;
};

/** @throws CallRefusal when the user has too many of them. */
export function openResponsesSocket(opening: Opening): void {
  const { answer, clientIp, credential, format, request, state } = opening;
  const { user } = credential;
  let open = 0;
  for (const other of state.sessions) {
    if (other instanceof ResponsesSession && other.credential.user.id === user.id) open += 1;
  }
  if (open >= socketsPerUserMax) throw tooManySockets(socketsPerUserMax);
  const [key = ""] = keysOffered(request.headers.get("sec-websocket-protocol"));
  const session = new ResponsesSession({
    state,
    answer,
    credential,
    clientIp,
    format,
    host: request.host,
    peer: request.peer,
    headers: turnHeaders(request.headers, key),
    onEnd: (ended) => void state.sessions.delete(ended),
  });
  const { budget, snapshot } = state.deps;
  const client = request.acceptWebSocket({
    messageBytesMax: snapshot.options.bodyBytesMax,
    held: new HeldBytes({ budget, owner: user.id }),
    // A browser that offers any must be answered with one; a key is never sent back.
    chooseProtocol: (offered) => offered.find((each) => !keysOffered(each).length) ?? "",
    listener: {
      message: (bytes, isText) => session.asked(bytes, isText),
      drained: () => session.clientDrained(),
      closed: () => session.clientClosed(),
    },
  });
  if (client === null) return;
  state.sessions.add(session);
  session.open(client);
}
