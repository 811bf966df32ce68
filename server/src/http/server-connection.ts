/**
 * The state of a client's connection and of the exchange on it, and functions that write to the
 * connection.
 */

import type { Socket } from "bun";
import type { BodyPart, ClientRequest } from "./client-request.ts";
import type { BodyReader } from "./request-body.ts";
import type { HeadFault, RequestHead } from "./request-head.ts";

/**
 * Time limit for a connection without a request, for an incomplete head, and for a pause within a
 * body.
 */
export const idleMsMax = 10_000;

export type Connection = {
  readonly server: ServerState;
  readonly socket: Socket<Connection>;
  readonly peer: string;
  /** Bytes that arrived and are not processed yet: part of a head, a body, or further requests. */
  pending: Buffer | null;
  exchange: Exchange | null;
  /** Bytes that the kernel has not accepted yet. */
  unsent: Buffer[];
  /** When the kernel last accepted bytes. Monotonic milliseconds, like all times here. */
  sentMs: number;
  /**
   * Deadline for the rest of a head, or for the client to close a connection that the server has
   * ended.
   */
  dueMs: number;
  paused: boolean;
  /**
   * Whether `readRequests` is running, so that a response sent within it does not call it again.
   */
  reading: boolean;
  /** Whether the client has closed its side. */
  halfClosed: boolean;
  phase: "closed" | "closing" | "open";
};

/** A request together with its response. */
export type Exchange = {
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly body: BodyReader;
  /** Gives the next part of the body to the reader; null: nobody is reading the body. */
  takeBody: ((part: BodyPart) => void) | null;
  /** Deadlines of the body: for its average rate, and for the end of the current pause. */
  paceDueMs: number;
  silenceDueMs: number;
  onDisconnect: (() => void) | null;
  /** When a client that closed its side will count as disconnected. */
  disconnectDueMs: number;
  isDisconnected: boolean;
  /**
   * Whether the head of the response was sent. `closes`: whether that head says that the connection
   * ends.
   */
  isAnswered: boolean;
  closes: boolean;
  /** Called when the client has read what was sent; set by a streamed response. */
  onDrained: (() => void) | null;
};

/** State that all connections share. */
export type ServerState = {
  readonly connections: Set<Connection>;
  readonly nowMs: () => number;
  /** The time of the last tick. Precise enough for time limits, and reading it costs nothing. */
  tickedMs: number;
  draining: boolean;
  /** Called with every request. The handler must complete the response, which calls `finish`. */
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

/**
 * Sends bytes that the caller must not change afterwards, because those that the kernel does not
 * accept are queued.
 */
export function write(connection: Connection, bytes: Buffer): void {
  const sent = writeNow(connection, bytes, bytes.length);
  if (sent < bytes.length) connection.unsent.push(sent === 0 ? bytes : bytes.subarray(sent));
}

/**
 * Sends the first `length` bytes of memory that the caller uses again. Bytes that the kernel does
 * not accept are copied.
 */
export function writeCopied(connection: Connection, memory: Buffer, length: number): void {
  const sent = writeNow(connection, memory, length);
  if (sent < length) connection.unsent.push(Buffer.from(memory.subarray(sent, length)));
}

/**
 * Writes to the socket unless earlier bytes are queued. Returns how many bytes need not be queued.
 */
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
