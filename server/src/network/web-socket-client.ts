/** Opens WebSockets to other servers, over the same connections and within the same limits as calls. */

import type { HeldBytes } from "#base/memory/byte-budget.ts";
import { findField } from "#http1/fields.ts";
import { askUpgrade, readUpgraded } from "#websocket/handshake.ts";
import {
  messageBytesUsual,
  WebSocketEnd,
  type WebSocketListener,
  type Wire,
} from "#websocket/web-socket.ts";
import { fault, type TransportAnswer, type TransportFault, type Upgraded } from "./answer.ts";
import { pause, resume, sendMore } from "./connection.ts";
import type { Ticker } from "./ticker.ts";
import type { Transport, TransportCall } from "./transport-call.ts";

type WebSocketCall = Pick<TransportCall, "cancellation" | "headers" | "limits" | "target"> & {
  /** The subprotocols that are offered, the best first. */
  readonly protocols: readonly string[];
  readonly messageBytesMax?: number;
  /** Holds the memory of messages that are not complete. */
  readonly held: HeldBytes;
};

/** A connection that has become a WebSocket; what arrives on it is the body of the answer. */
export type Accepted = {
  readonly kind: "accepted";
  readonly answer: TransportAnswer;
  readonly connection: Upgraded["connection"];
  readonly protocol: string;
};

type Opened =
  | { readonly kind: "open"; readonly end: WebSocketEnd; readonly protocol: string }
  /** The server answered otherwise. The answer is to be read or cancelled. */
  | TransportAnswer
  | TransportFault;

/** Opens a WebSocket. `listener` hears of it only if it was opened. */
export async function openWebSocket(
  deps: { readonly transport: Transport; readonly ticker: Ticker },
  { held, messageBytesMax = messageBytesUsual, ...call }: WebSocketCall,
  listener: WebSocketListener,
): Promise<Opened> {
  const accepted = await requestWebSocket(deps.transport, call);
  if (accepted.kind !== "accepted") return accepted;
  const { answer, connection, protocol } = accepted;
  const rules = { isClient: true, messageBytesMax, held, nowMs: deps.ticker.nowMs };
  const end = new WebSocketEnd(wireOf(answer, connection), rules, listener);
  connection.onDrained = () => end.wireDrained();
  deps.ticker.add(end);
  answer.flowTo({
    takes(bytes) {
      end.received(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      return true;
    },
    takesEnd() {
      deps.ticker.remove(end);
      end.lost();
    },
  });
  return { kind: "open", end, protocol };
}

/** Asks a server for a WebSocket. */
export async function requestWebSocket(
  transport: Transport,
  { protocols, ...call }: Omit<WebSocketCall, "held" | "messageBytesMax">,
): Promise<Accepted | TransportAnswer | TransportFault> {
  const { headers, key } = askUpgrade(protocols);
  const answer = await transport({
    ...call,
    method: "GET",
    headers: { ...call.headers, ...headers },
    body: null,
    isStream: true,
    upgrades: true,
  });
  if (answer.kind === "fault" || answer.status !== 101) return answer;
  const upgraded = answer.upgraded?.() ?? null;
  const get = (name: string) => findField(upgraded?.fields ?? [], name);
  const protocol = readUpgraded({ get }, key, protocols);
  if (upgraded === null || protocol === undefined) {
    answer.cancel();
    return fault("answer-not-http");
  }
  return { kind: "accepted", answer, connection: upgraded.connection, protocol };
}

function wireOf(answer: TransportAnswer, connection: Upgraded["connection"]): Wire {
  return {
    write: (bytes) => sendMore(connection, bytes),
    isFull: () => connection.unsent.length > 0,
    pause: () => pause(connection),
    resume: () => resume(connection),
    // The server ends the connection; if it does not, the client gives up after a while.
    end: () => {},
    destroy: () => answer.cancel(),
  };
}
