/** A client of responses over a WebSocket, as Codex is one. */

import { eventually } from "#base/testing/waiting.ts";
import type { Json, JsonObject } from "#base/json.ts";
import { testKey } from "./relay.ts";

type SocketClient = {
  readonly socket: WebSocket;
  readonly events: JsonObject[];
  /** The codes of the closes, of which there is at most one. */
  readonly closed: number[];
  readonly send: (message: object) => void;
  /** Asks for a response, for the model `m` unless the fields say otherwise. */
  readonly create: (fields: object) => void;
  readonly types: () => Json[];
  /** Waits until so many events have come that end a response. Returns the last of them. */
  readonly ended: (count?: number) => Promise<JsonObject>;
};

const ends: ReadonlySet<unknown> = new Set([
  "error",
  "response.completed",
  "response.failed",
  "response.incomplete",
]);

/** Connects to a relay or gateway. */
export function connectResponses(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): SocketClient {
  const given = { authorization: `Bearer ${testKey}`, ...headers };
  // Safe cast: Bun's client takes header fields, which the types of browsers do not know.
  const options = { headers: given } as unknown as string[];
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, options);
  const events: JsonObject[] = [];
  const closed: number[] = [];
  const early: string[] = [];
  socket.addEventListener("open", () => {
    for (const text of early) socket.send(text);
  });
  socket.addEventListener("message", ({ data }) => {
    events.push(JSON.parse(String(data)) as JsonObject);
  });
  socket.addEventListener("close", ({ code }) => void closed.push(code));
  const send = (message: object): void => {
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.CONNECTING) early.push(text);
    else socket.send(text);
  };
  const endsOf = (): JsonObject[] => events.filter(({ type }) => ends.has(type));
  return {
    socket,
    events,
    closed,
    send,
    create: (fields) => send({ type: "response.create", model: "m", store: false, ...fields }),
    types: () => events.map(({ type = null }) => type),
    async ended(count = 1) {
      await eventually(() => endsOf().length >= count);
      return endsOf()[count - 1] ?? {};
    },
  };
}

/** Returns the id of the response that an event ends; empty: it has none. */
export function responseId(event: JsonObject): string {
  // Safe cast: the tests read events of responses.
  const { id } = (event["response"] ?? {}) as JsonObject;
  return typeof id === "string" ? id : "";
}
