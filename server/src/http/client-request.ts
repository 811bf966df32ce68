/**
 * A request as `server.ts` passes it on, and its response. Relayed calls are many, so everything
 * here is created only when asked for. `web-standard.ts` converts to the platform's `Request` and
 * `Response`.
 */

/** Header fields by lower-case name, like `Headers`; null: absent. */
export type Fields = { get(name: string): string | null };

export type BodyFault =
  /** `broken`: its framing is invalid, or the client ended it early. */
  "broken" | "too-large" | "too-slow";

/** One step of a body being received; `whole` comes last. */
export type BodyPart = Buffer | BodyFault | "whole";

export type ClientRequest = {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** The `Host` field; empty: there was none. */
  readonly host: string;
  readonly headers: Fields;
  /** All fields, in their order. */
  fields(): [name: string, value: string][];
  /** Address of the socket's other end. */
  readonly peer: string;
  /** Length of the body; null: known only at its end. */
  readonly length: number | null;
  /**
   * Reads the whole body, once. Not a promise when it arrived with the head, as small bodies do.
   */
  readBody(bytesMax: number): Buffer | BodyFault | Promise<Buffer | BodyFault>;
  /** Reads the body piece by piece, at the reader's pace. Not together with `readBody`. */
  takeBody(): Promise<BodyPart>;
  /**
   * Registers one callback, called once if the client disconnects before the response is complete.
   */
  onDisconnect(disconnected: () => void): void;
  /** Sends a response. Only the first one counts. */
  respond(response: ClientResponse): void;
  /** Starts a streamed response. Null: a response was sent before, or the client is gone. */
  stream(head: ResponseHead): ResponseSink | null;
};

/** What the listener adds to a request. */
export type CallMeta = {
  /** The client's address; see `proxies.ts`. */
  readonly clientIp: string;
  readonly requestId: string;
};

export type ResponseHead = {
  readonly status: number;
  /**
   * Lower-case names; a list of values becomes several fields. Length, date and `connection` are
   * added by the server.
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

export type ClientResponse = ResponseHead & { readonly body: Uint8Array | string | null };

/** Writes a streamed response. */
export type ResponseSink = {
  /**
   * Never empty. Bytes that the client does not read at once are buffered, so check `isFull` first.
   */
  write(bytes: Uint8Array): void;
  /** Whether bytes are waiting for the client. */
  isFull(): boolean;
  /** Registers one callback, called whenever no bytes are waiting any more. */
  onDrained(drained: () => void): void;
  /** Ends the response with these last bytes. */
  end(last?: Uint8Array): void;
  /** Breaks the response off in a way the client can detect. */
  abort(): void;
};
