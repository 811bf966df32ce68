/**
 * A request as `server.ts` hands it on, and what it is answered with. Made for calls that are many:
 * no more is made of them than somebody asks for. `web-standard.ts` has the platform's own values.
 */

/** Header fields by name in lower case, as `Headers` have them; null: not there. */
export type Fields = { get(name: string): string | null };

export type BodyFault =
  /** Its framing is none, or the client ended it early. */
  "broken" | "too-large" | "too-slow";

/** What came of a body while it comes; `whole` comes last. */
export type BodyPart = Buffer | BodyFault | "whole";

export type ClientRequest = {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** The address the client knows us by; empty: it named none. */
  readonly host: string;
  readonly headers: Fields;
  /** All of them, in their order. */
  fields(): [name: string, value: string][];
  /** Address of the socket's other end. */
  readonly peer: string;
  /** Bytes of the body; null: not known before its end. */
  readonly length: number | null;
  /** The whole body, once; at once when it came with the head, as small ones do. */
  readBody(bytesMax: number): Buffer | BodyFault | Promise<Buffer | BodyFault>;
  /** The body piece by piece, at the pace of whoever asks. Not together with `readBody`. */
  takeBody(): Promise<BodyPart>;
  /** Calls back once if the client disconnects before its response is whole. One callback. */
  onDisconnect(disconnected: () => void): void;
  /** Answers; the first response counts. */
  respond(response: ClientResponse): void;
  /** Answers with what comes bit by bit. Null: it is answered, or the client is gone. */
  stream(head: ResponseHead): ResponseSink | null;
};

/** What the listener found out about a request. */
export type CallMeta = {
  /** The peer, or what a trusted proxy says of it. */
  readonly clientIp: string;
  readonly requestId: string;
};

export type ResponseHead = {
  readonly status: number;
  /** Names in lower case; several values are several fields. No length, date or `connection`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

export type ClientResponse = ResponseHead & { readonly body: Uint8Array | string | null };

/** The way to a client of a response that streams. */
export type ResponseSink = {
  /** Never empty. What the client does not take at once waits, so ask `isFull` first. */
  write(bytes: Uint8Array): void;
  /** The client has not taken all of what it was given. */
  isFull(): boolean;
  /** Calls back each time when it has. One callback. */
  onDrained(taken: () => void): void;
  /** The response is whole, with these bytes as its last. */
  end(last?: Uint8Array): void;
  /** The response breaks off, and the client can tell. */
  abort(): void;
};
