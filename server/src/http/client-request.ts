/**
 * A request as `server.ts` passes it on, and its response. The relay gets so many that one object is
 * all of it: request, header fields and the writer of a streamed response. `web-standard.ts` converts to the platform's `Request`
 * and `Response`.
 */

import type { ByteBudget, HeldBytes, Owner } from "#base/memory/byte-budget.ts";
import type { WebSocketEnd, WebSocketListener } from "#websocket/web-socket.ts";

/** Header fields by lower-case name, like `Headers`; null: absent. */
export type Fields = {
  get(name: string): string | null;
  /**
   * Returns the fields whose names begin so: name, value, name, value …; null: there are none.
   * Absent: they are not listed.
   */
  startingWith?(prefix: string): readonly string[] | null;
};

export type BodyFault =
  /**
   * `broken`: the body's framing is invalid, or the client ended the body early. `busy`: too much
   * of all clients is unfinished; `too-much`: too much of this owner is.
   */
  "broken" | "busy" | "too-large" | "too-much" | "too-slow";

/**
 * One result of reading a body piece by piece: bytes, or how the body ended. `whole`: it is
 * complete.
 */
export type BodyPart = Buffer | BodyFault | "whole";

export type ClientRequest = {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly url: string;
  /** The `Host` field; empty: there was none. */
  readonly host: string;
  readonly headers: Fields;
  /** Returns all header fields, in their order. */
  fields(): [name: string, value: string][];
  /** IP address of the connection's other end, which may be a proxy. */
  readonly peer: string;
  /** Length of the body; null: it is chunked, so the length is known only at its end. */
  readonly length: number | null;
  /**
   * Reads the whole body, once. Returns no promise if the body arrived with the head, as small ones
   * do. The memory of others is held in the budget until they are complete.
   */
  readBody(
    bytesMax: number,
    budget: ByteBudget,
    owner: Owner,
  ): Buffer | BodyFault | Promise<Buffer | BodyFault>;
  /**
   * Frees the memory of the body that `readBody` returned, before the response is sent. Nobody may
   * read the body afterwards.
   */
  freeBody(body: Uint8Array): void;
  /** Reads the next piece of the body, at the reader's pace. Not to be mixed with `readBody`. */
  takeBody(): Promise<BodyPart>;
  /**
   * Registers the one callback that is called, once, if the client disconnects before the response
   * is complete.
   */
  onDisconnect(disconnected: () => void): void;
  /**
   * Whether the request waited unread because its connection rested; see `resting.ts`. True at most
   * once for each rest.
   */
  hasWaited(): boolean;
  /** Registers the one function that changes the head of the response before it is sent. */
  changeHead(change: (head: ResponseHead) => ResponseHead): void;
  /** Sends a response. Further calls do nothing. */
  respond(response: ClientResponse): void;
  /**
   * Starts a streamed response. Null: a response was sent before, or the client has disconnected.
   */
  stream(head: ResponseHead): ResponseSink | null;
  /**
   * Accepts the WebSocket that the request asks for. Null: it asks for none, or not as the protocol
   * says, and has been answered so; or it was answered before.
   */
  acceptWebSocket(given: WebSocketGiven): WebSocketEnd | null;
};

export type WebSocketGiven = {
  readonly listener: WebSocketListener;
  /** Chooses one of the subprotocols that the client offers; empty: none. */
  readonly chooseProtocol?: (offered: readonly string[]) => string;
  readonly messageBytesMax?: number;
  /** Holds the memory of messages that are not complete. */
  readonly held: HeldBytes;
};

/** What the server finds out about a request before it is handled. */
export type CallMeta = {
  /** The client's address; see `proxies.ts`. */
  readonly clientIp: string;
  readonly requestId: string;
};

/** Header fields that many responses share; `shareHeaders` makes them. */
export type SharedHeaders = {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same, as they are sent. */
  readonly text: string;
};

/**
 * The head of a response. The server adds `content-length` or chunking, `date`, `connection` and
 * `keep-alive`.
 */
export type ResponseHead = {
  readonly status: number;
  readonly shared?: SharedHeaders;
  /** An id made by `newRequestId`, sent as `x-request-id` and `x-oneapi-request-id`. */
  readonly requestId?: string;
  /** What the answer was charged, in US dollars, sent as `x-tollgate-cost`. */
  readonly cost?: number;
  /** Further fields by lower-case name; a list of values becomes several fields. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
};

export type ClientResponse = ResponseHead & {
  readonly body: Uint8Array | string | null;
  /** Whether the connection rests afterwards; see `resting.ts`. */
  readonly rests?: true;
};

/** Writes a streamed response. */
export type ResponseSink = {
  /**
   * Sends bytes, of which there must be at least one. Bytes that the client does not read
   * immediately are copied, so check `isFull` first.
   *
   * @param chunk the same bytes as a whole chunk of HTTP, which goes out as it is if the response is
   *   sent in chunks; null: there is none.
   */
  write(bytes: Uint8Array, chunk?: Uint8Array | null): void;
  /** Whether earlier bytes are still waiting for the client to read them. */
  isFull(): boolean;
  /** Registers the one callback that is called each time the buffered bytes have been sent. */
  onDrained(drained: () => void): void;
  /** Ends the response with these last bytes. */
  end(last?: Uint8Array): void;
  /** Breaks the response off so that the client can tell it is incomplete. */
  abort(): void;
};
