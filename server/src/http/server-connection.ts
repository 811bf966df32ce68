/**
 * The state of a client's connection and of the exchange on it, and functions that write to the
 * connection.
 */

import type { Socket } from "bun";
import type { BodyPart, ClientRequest } from "./client-request.ts";
import type { BodyReader } from "#http1/body-reader.ts";
import type { WebSocketEnd } from "#websocket/web-socket.ts";
import type { Resting } from "./resting.ts";
import type { HeadFault, RequestHead } from "./request-head.ts";

/**
 * Time limit for the first request of a connection, for an incomplete head, and for a pause within
 * a body.
 */
export const silenceMsMax = 10_000;

/**
 * How much longer a connection is kept than the client is told. A request that the client sends at
 * the last moment has to travel, and would otherwise meet a closed connection.
 */
const keepAliveGraceMs = 2_000;

export type Connection = {
  readonly server: ServerState;
  readonly socket: Socket<Connection>;
  readonly peer: string;
  /** Bytes that arrived and are not processed yet: part of a head, a body, or further requests. */
  pending: Buffer | null;
  /** Memory that holds `pending` and has room behind it; null: `pending` has no room behind it. */
  room: Buffer | null;
  /** How many bytes of `pending` are known to hold no end of a head. */
  searched: number;
  exchange: Exchange | null;
  /** The WebSocket that the connection has become; null: it carries HTTP. */
  webSocket: WebSocketEnd | null;
  /** Bytes that the kernel has not accepted yet. */
  unsent: Buffer[];
  /** When the kernel last accepted bytes. Monotonic milliseconds, like all times here. */
  sentMs: number;
  /**
   * Deadline for the rest of a head, for the next request, or for the client to close a connection
   * that the server has ended.
   */
  dueMs: number;
  paused: boolean;
  /** Whether the connection rests when its response is sent. */
  rests: boolean;
  /** Whether what is read next may have arrived while the connection rested. */
  isWoken: boolean;
  /**
   * Whether `readRequests` is running, so that a response sent within it does not call it again.
   */
  reading: boolean;
  /** Whether the client has closed its side. */
  halfClosed: boolean;
  phase: "closed" | "closing" | "open";
};

/** A request together with its response. */
export type Exchange = ClientRequest & {
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly body: BodyReader;
  /** Gives the next part of the body to the reader; null: nobody is reading the body. */
  bodyTaker: ((part: BodyPart) => void) | null;
  /** Deadlines of the body: for its average rate, for its end, and for that of the current pause. */
  paceDueMs: number;
  bodyDueMs: number;
  silenceDueMs: number;
  /** Called once when the client disconnects. */
  disconnectListener: (() => void) | null;
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
  drainListener: (() => void) | null;
};

/** State that all connections share. */
export type ServerState = {
  readonly connections: Set<Connection>;
  readonly nowMs: () => number;
  /** The time of the last tick. Precise enough for time limits, and reading it costs nothing. */
  tickedMs: number;
  draining: boolean;
  readonly resting: Resting<Connection>;
  /** How long a connection may wait for its next request, as clients are told. */
  readonly keepAliveSeconds: number;
  /** The header fields that tell them. */
  readonly keepAliveField: string;
  /** Called with every request. The handler must complete the response, which calls `finish`. */
  readonly answer: (request: ClientRequest) => void;
  /** Makes the exchange of a head that was read. */
  readonly newExchange: (
    connection: Connection,
    head: RequestHead,
    disconnectDueMs: number,
  ) => Exchange;
  readonly refuse: (connection: Connection, status: HeadFault | 408) => void;
};

export function openConnection(server: ServerState, socket: Socket<Connection>): Connection {
  const connection: Connection = {
    server,
    socket,
    peer: socket.remoteAddress,
    pending: null,
    room: null,
    searched: 0,
    exchange: null,
    webSocket: null,
    unsent: [],
    sentMs: 0,
    dueMs: server.tickedMs + silenceMsMax,
    paused: false,
    rests: false,
    isWoken: false,
    reading: false,
    halfClosed: false,
    phase: "open",
  };
  server.connections.add(connection);
  return connection;
}

/** Returns the deadline for the next request on a connection that has carried one. */
export function nextRequestDueMs({ keepAliveSeconds, tickedMs }: ServerState): number {
  return tickedMs + keepAliveSeconds * 1_000 + keepAliveGraceMs;
}

/**
 * Adds bytes to those that wait to be processed. The memory has room for as many again, so that a
 * head in many small packets is not copied for each of them.
 */
export function append(connection: Connection, bytes: Buffer): void {
  const { pending, room } = connection;
  if (pending === null) {
    connection.pending = bytes;
    connection.room = null;
    return;
  }
  const length = pending.length + bytes.length;
  // In `room`, all bytes behind `pending` are free.
  const start = room === null ? 0 : pending.byteOffset - room.byteOffset;
  if (room !== null && start + length <= room.length) {
    bytes.copy(room, start + pending.length);
    connection.pending = room.subarray(start, start + length);
    return;
  }
  const larger = Buffer.allocUnsafeSlow(2 * length);
  pending.copy(larger);
  bytes.copy(larger, pending.length);
  connection.room = larger;
  connection.pending = larger.subarray(0, length);
}

/** Removes the first bytes of those that wait to be processed. */
export function consume(connection: Connection, length: number): void {
  const { pending } = connection;
  if (pending !== null && length < pending.length) connection.pending = pending.subarray(length);
  else {
    connection.pending = null;
    connection.room = null;
  }
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
export function writeCopied(connection: Connection, memory: Uint8Array, length: number): void {
  const sent = writeNow(connection, memory, length);
  if (sent < length) connection.unsent.push(Buffer.from(memory.subarray(sent, length)));
}

/**
 * Writes to the socket unless earlier bytes are queued. Returns how many bytes need not be queued.
 */
function writeNow(connection: Connection, bytes: Uint8Array, length: number): number {
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
