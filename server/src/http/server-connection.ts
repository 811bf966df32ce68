/** The state of a client's connection and of the exchange on it, and writing to it. */

import type { Socket } from "bun";
import type { BodyPart, ClientRequest } from "./client-request.ts";
import type { BodyReader } from "./request-body.ts";
import type { HeadFault, RequestHead } from "./request-head.ts";

/** Limit of a connection without a request, of an incomplete head, and of a pause in a body. */
export const idleMsMax = 10_000;

export type Connection = {
  readonly server: ServerState;
  readonly socket: Socket<Connection>;
  readonly peer: string;
  /** Bytes that arrived and were not processed: part of a head, a body, further requests. */
  pending: Buffer | null;
  exchange: Exchange | null;
  /** Bytes that the kernel has not accepted yet. */
  unsent: Buffer[];
  /** When the kernel last accepted bytes. Monotonic milliseconds, like all times here. */
  sentMs: number;
  /** Deadline for a head, or for the client's end of a closing connection. */
  dueMs: number;
  paused: boolean;
  /** `readRequests` is running, so that answering at once does not call it again. */
  reading: boolean;
  /** The client has closed its side. */
  halfClosed: boolean;
  phase: "closed" | "closing" | "open";
};

/** A request with its response. */
export type Exchange = {
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly body: BodyReader;
  /** Takes the next part of the body; null: nobody is reading it. */
  takeBody: ((part: BodyPart) => void) | null;
  /** Deadlines for the average rate of the body, and for the current pause. */
  paceDueMs: number;
  silenceDueMs: number;
  onDisconnect: (() => void) | null;
  /** When a client that closed its side counts as disconnected. */
  disconnectDueMs: number;
  isDisconnected: boolean;
  /** The head of the response is out; `closes`: it announced the connection's end. */
  isAnswered: boolean;
  closes: boolean;
  /** A stream waits until the client has read what was sent. */
  onDrained: (() => void) | null;
};

/** State that all connections share. */
export type ServerState = {
  readonly connections: Set<Connection>;
  readonly nowMs: () => number;
  /** The time of the last tick: precise enough for limits, and free. */
  tickedMs: number;
  draining: boolean;
  /** Called with every request. `finish` is called in the end, whatever it does. */
  readonly answer: (request: ClientRequest) => void;
  readonly requestOf: (exchange: Exchange) => ClientRequest;
  readonly refuse: (connection: Connection, status: HeadFault | 408) => void;
};

export function openConnection(server: ServerState, socket: Socket<Connection>): Connection {
  const connection: Connection = {
    server,
    socket,
    peer: socket.remoteAddress,
    pending: null,
    exchange: null,
    unsent: [],
    sentMs: 0,
    dueMs: server.tickedMs + idleMsMax,
    paused: false,
    reading: false,
    halfClosed: false,
    phase: "open",
  };
  server.connections.add(connection);
  return connection;
}

/** Sends bytes that do not change. What the kernel does not accept is queued. */
export function write(connection: Connection, bytes: Buffer): void {
  const sent = writeNow(connection, bytes, bytes.length);
  if (sent < bytes.length) connection.unsent.push(sent === 0 ? bytes : bytes.subarray(sent));
}

/** Sends the first `length` bytes of memory that will be reused. */
export function writeCopied(connection: Connection, memory: Buffer, length: number): void {
  const sent = writeNow(connection, memory, length);
  if (sent < length) connection.unsent.push(Buffer.from(memory.subarray(sent, length)));
}

/** Returns the number of bytes that were processed. */
function writeNow(connection: Connection, bytes: Buffer, length: number): number {
  if (connection.phase === "closed") return length;
  if (connection.unsent.length > 0) return 0;
  connection.sentMs = connection.server.tickedMs;
  return Math.max(0, connection.socket.write(bytes, 0, length));
}

export function pause(connection: Connection): void {
  if (connection.paused || connection.phase === "closed") return;
  connection.paused = true;
  connection.socket.pause();
}

export function resume(connection: Connection): void {
  if (!connection.paused || connection.phase === "closed") return;
  connection.paused = false;
  connection.socket.resume();
}
