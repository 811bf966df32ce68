/** A connection of a client and the exchange on it: what is known of both, and writing to it. */

import type { Socket } from "bun";
import type { BodyPart, ClientRequest } from "./client-request.ts";
import type { BodyReader } from "./request-body.ts";
import type { HeadFault, RequestHead } from "./request-head.ts";

/** How long a connection may be without a request, a head may take, and a body may stop. */
export const idleMsMax = 10_000;

export type Connection = {
  readonly server: ServerState;
  readonly socket: Socket<Connection>;
  readonly peer: string;
  /** What came and was not looked at: part of a head, a body, the next requests. */
  pending: Buffer | null;
  exchange: Exchange | null;
  /** Bytes that the kernel has not taken. */
  unsent: Buffer[];
  /** When the kernel last took some. Monotonic milliseconds, as all times here. */
  sentMs: number;
  /** When waiting for a head ends, or for the other side's end. */
  dueMs: number;
  paused: boolean;
  /** Requests are being read, and those that are answered at once need not begin the next. */
  reading: boolean;
  /** The client says nothing more. */
  halfClosed: boolean;
  phase: "closed" | "closing" | "open";
};

/** A request and its response. */
export type Exchange = {
  readonly connection: Connection;
  readonly head: RequestHead;
  readonly body: BodyReader;
  /** Takes the body as it comes; null: nobody asks for it. */
  takeBody: ((part: BodyPart) => void) | null;
  /** When what came of the body was too slow on the whole, and when it has stopped for too long. */
  paceDueMs: number;
  silenceDueMs: number;
  onDisconnect: (() => void) | null;
  /** When a client that says nothing more counts as gone. */
  disconnectDueMs: number;
  isDisconnected: boolean;
  /** The head of the response is out, and says whether the connection ends with it. */
  isAnswered: boolean;
  closes: boolean;
  /** A stream waits for the client to take what it was given. */
  onDrained: (() => void) | null;
};

/** What all connections share. */
export type ServerState = {
  readonly connections: Set<Connection>;
  readonly nowMs: () => number;
  /** The time as the last tick had it: exact enough for limits, and free. */
  tickedMs: number;
  draining: boolean;
  /** Gets every request; whatever it does, `finish` is called in the end. */
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

/** Sends bytes that stay as they are. What the kernel does not take waits. */
export function write(connection: Connection, bytes: Buffer): void {
  const sent = writeNow(connection, bytes, bytes.length);
  if (sent < bytes.length) connection.unsent.push(sent === 0 ? bytes : bytes.subarray(sent));
}

/** Sends the first `length` bytes of memory that is going to be used again. */
export function writeCopied(connection: Connection, memory: Buffer, length: number): void {
  const sent = writeNow(connection, memory, length);
  if (sent < length) connection.unsent.push(Buffer.from(memory.subarray(sent, length)));
}

/** How many bytes need not be thought of any more. */
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
