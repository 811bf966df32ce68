/**
 * One connection to an upstream over `Bun.connect`, which carries one call after another. This file
 * sends and receives bytes and knows the connection's state; other files parse the answer and set
 * time limits.
 */

import type { SocketHandler } from "bun";
import { lacksDescriptors } from "#base/process/descriptors.ts";
import {
  close,
  feed,
  newResponseReader,
  resetResponseReader,
  type ResponseHead,
  type ResponseReader,
} from "./response.ts";
import { type CertificateFault, certificateFault } from "./certificate-fault.ts";
import { boundReceiveBuffer } from "./receive-buffer.ts";
import { openTunnel, type Tunnel, type TunnelFailure, type Wire } from "./tunnel.ts";

/** Where a connection leads. Connections with equal endpoints may carry each other's calls. */
export type Endpoint = {
  /** IP address, without brackets; with a tunnel that of the proxy. */
  readonly address: string;
  readonly port: number;
  /** How a proxy leads to the target; null: there is none. */
  readonly tunnel: Tunnel | null;
  /** The name for SNI and for the certificate check; null: no TLS. */
  readonly serverName: string | null;
  /**
   * Whether the receive buffer is kept small, because the answer is read at the pace of a client
   * that may be slow.
   */
  readonly isBounded: boolean;
  /** Certificates (PEM) that are trusted instead of the system's; undefined: the system's. */
  readonly ca: string | undefined;
};

/** Callbacks for the parts of an answer. `ended` is called last, and once. */
export type ExchangeEvents = {
  headCame(head: ResponseHead): void;
  /**
   * Called with bytes of the body, at least one.
   *
   * @param chunk the same bytes with the framing that they came in, if that is one whole chunk.
   */
  bodyCame(bytes: Buffer, chunk: Buffer | null): void;
  ended(end: ExchangeEnd): void;
};

export type ExchangeEnd =
  /** The answer is complete. */
  | "whole"
  /** The answer broke off, or its body has no valid end. */
  | "broken"
  /** What came is no head of an answer. */
  | "malformed"
  /** The connection ended before any byte of the answer arrived. */
  | "silent"
  /** The same, and before any byte of the request was written. */
  | "unsent"
  | "connect-timeout"
  | "proxy-timeout"
  | "tls-timeout"
  | ConnectFailure;

/** Why no connection was made. */
type ConnectFailure =
  | TunnelFailure
  | CertificateFault
  /** This process can open no further connection. */
  | "no-descriptors"
  /** Nothing listens on the port. */
  | "refused"
  /** The other end does not speak TLS, or no version of it that is accepted here. */
  | "tls-failed"
  | "unreachable";

export type Connection = {
  readonly endpoint: Endpoint;
  socket: Wire | null;
  closed: boolean;
  /**
   * Whether the caller gave up before the connection was made. Bun cannot cancel that, so the
   * connection is closed as soon as it is made.
   */
  abandoned: boolean;
  paused: boolean;
  readonly reader: ResponseReader;
  exchange: ExchangeEvents | null;
  /** Bytes of the present request that the kernel has not accepted yet. */
  unsent: Buffer[];
  /** Whether the kernel has accepted a byte of the present request. */
  wrote: boolean;
  /** When the connection was last used. Monotonic milliseconds. */
  idleSinceMs: number;
  /** Called each time when all bytes were sent; null: nobody waits for that. */
  onDrained: (() => void) | null;
  /** Called once; null: the connection was made. */
  onReady: ((failure: ConnectFailure | null) => void) | null;
  readonly owner: ConnectionOwner;
};

export type ConnectionOwner = {
  /** Called when an answer has ended and the connection can carry another call. */
  freed(connection: Connection): void;
  /** Called when the connection has been closed. */
  gone(connection: Connection): void;
};

/** Opens a connection. Calls `onReady` with why that failed, or with null. */
export function openConnection(
  endpoint: Endpoint,
  owner: ConnectionOwner,
  onReady: (failure: ConnectFailure | null) => void,
): Connection {
  const connection: Connection = {
    endpoint,
    socket: null,
    closed: false,
    abandoned: false,
    paused: false,
    reader: newResponseReader(),
    exchange: null,
    unsent: [],
    wrote: false,
    onDrained: null,
    idleSinceMs: 0,
    onReady,
    owner,
  };
  const { address, port, serverName, ca, tunnel } = endpoint;
  if (tunnel !== null) {
    connection.socket = connectThrough(connection, tunnel);
    return connection;
  }
  Bun.connect<Connection>({
    hostname: address,
    port,
    data: connection,
    socket: handlers,
    ...(serverName === null
      ? {}
      : { tls: { serverName, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } }),
  }).catch(() => lost(connection));
  return connection;
}

function connectThrough(connection: Connection, tunnel: Tunnel): Wire {
  return openTunnel(
    { ...connection.endpoint, tunnel },
    {
      opened: () => readied(connection, null),
      failed: (failure) => lost(connection, failure),
      data: (bytes) => received(connection, bytes),
      drained: () => sendOn(connection),
      ended: () => ended(connection),
      closed: () => lost(connection),
    },
  );
}

/** All connections share this handler object; the state of each is in its socket's `data`. */
const handlers: SocketHandler<Connection> = {
  open(socket) {
    const connection = socket.data;
    connection.socket = socket;
    if (connection.abandoned) {
      lost(connection);
      return;
    }
    socket.setNoDelay(true);
    if (connection.endpoint.isBounded && "fd" in socket && typeof socket.fd === "number") {
      boundReceiveBuffer(socket.fd);
    }
    // A connection must not keep the process alive; the calls in progress do.
    socket.unref();
    if (connection.endpoint.serverName === null) readied(connection, null);
  },
  handshake(socket, success, error) {
    // `success` means that the certificate is valid and issued for the endpoint's `serverName`.
    readied(socket.data, success ? null : handshakeFailure(error));
  },
  data: (socket, bytes) => received(socket.data, bytes),
  drain: (socket) => sendOn(socket.data),
  end: (socket) => ended(socket.data),
  close: (socket, error) => (error === undefined ? ended(socket.data) : lost(socket.data)),
  error: (socket) => lost(socket.data),
  connectError: (socket, error) => lost(socket.data, connectFailure(error)),
  binaryType: "buffer",
};

function handshakeFailure(error: Error | null): ConnectFailure {
  const code = codeOf(error);
  // Errors of the protocol have this code; those of the certificate have OpenSSL's name of the
  // fault.
  return code === "EPROTO" ? "tls-failed" : certificateFault(String(code));
}

function connectFailure(error: Error): ConnectFailure {
  if (lacksDescriptors()) return "no-descriptors";
  return codeOf(error) === "ECONNREFUSED" ? "refused" : "unreachable";
}

function codeOf(error: Error | null): unknown {
  return error !== null && "code" in error ? error.code : undefined;
}

function readied(connection: Connection, failure: ConnectFailure | null): void {
  const { onReady } = connection;
  if (connection.closed || onReady === null) return;
  connection.onReady = null;
  if (failure !== null) destroy(connection);
  onReady(failure);
}

/**
 * A request up to this size is sent in one write. The upstream would otherwise be woken by the head,
 * and again by the body.
 */
const joinedBytesMax = 256 * 1024;

/**
 * Memory in which head and body are joined, used again for each request. Bytes that the kernel does
 * not accept at once are copied out of it.
 */
let joining: Buffer = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * Sends a request on a connection that is ready and free.
 *
 * @param head one character a byte.
 */
export function send(
  connection: Connection,
  head: string,
  body: Uint8Array | readonly Uint8Array[] | null,
  events: ExchangeEvents,
): void {
  resetResponseReader(connection.reader);
  connection.exchange = events;
  connection.wrote = false;
  if (body !== null && !(body instanceof Uint8Array)) {
    connection.unsent.push(Buffer.from(head, "latin1"));
    for (const piece of body) if (piece.length > 0) connection.unsent.push(viewOf(piece));
    sendOn(connection);
    return;
  }
  const length = head.length + (body === null ? 0 : body.length);
  if (body !== null && length > joinedBytesMax) {
    connection.unsent.push(Buffer.from(head, "latin1"));
    connection.unsent.push(viewOf(body));
    sendOn(connection);
    return;
  }
  if (length > joining.length) joining = Buffer.allocUnsafeSlow(joinedBytesMax);
  joining.write(head, 0, "latin1");
  if (body !== null) joining.set(body, head.length);
  // A closed socket returns −1; its close handler deals with the request.
  const sent = Math.max(0, connection.socket?.write(joining, 0, length) ?? 0);
  if (sent > 0) connection.wrote = true;
  if (sent < length) connection.unsent.push(Buffer.from(joining.subarray(sent, length)));
}

function viewOf({ buffer, byteLength, byteOffset }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function sendOn(connection: Connection): void {
  const { socket, unsent, closed } = connection;
  while (unsent.length > 0 && socket !== null && !closed) {
    const [bytes] = unsent;
    if (bytes === undefined) return;
    const sent = socket.write(bytes);
    if (sent < 0) return; // the socket is closed; the close handler deals with it
    if (sent > 0) connection.wrote = true;
    if (sent >= bytes.length) unsent.shift();
    else {
      unsent[0] = bytes.subarray(sent);
      return;
    }
  }
  connection.onDrained?.();
}

/** Sends more bytes on a connection that was upgraded. Nobody changes them afterwards. */
export function sendMore(connection: Connection, bytes: Buffer): void {
  connection.unsent.push(bytes);
  if (connection.unsent.length === 1) sendOn(connection);
}

function received(connection: Connection, bytes: Buffer): void {
  const { exchange, reader } = connection;
  if (exchange === null) {
    // Bytes arrived although no request was sent. The connection is closed, so that they are not
    // taken for the next call's answer.
    destroy(connection);
    return;
  }
  const hadHead = reader.head !== null;
  const body = feed(reader, bytes);
  if (!hadHead && reader.head !== null) exchange.headCame(reader.head);
  if (body.length > 0 && connection.exchange === exchange) {
    const isChunk = hadHead && reader.body !== null && reader.body.isOneChunk;
    exchange.bodyCame(body, isChunk ? bytes : null);
  }
  if (connection.exchange !== exchange) return;
  if (reader.phase === "failed") finish(connection, reader.head === null ? "malformed" : "broken");
  if (reader.phase === "done") finish(connection, "whole");
}

/** Called when the upstream has closed its side normally. */
function ended(connection: Connection): void {
  if (connection.exchange !== null && close(connection.reader)) finish(connection, "whole");
  lost(connection);
}

/** Called when the connection was lost or could not be made. */
function lost(connection: Connection, failure: ConnectFailure = "unreachable"): void {
  const { exchange, onReady, reader } = connection;
  connection.onReady = null;
  const isSilent = reader.phase === "head" && reader.pending === null && reader.interims === 0;
  const silence = connection.wrote ? "silent" : "unsent";
  if (exchange !== null) finish(connection, isSilent ? silence : "broken");
  destroy(connection);
  onReady?.(failure);
}

/** Ends the exchange in progress. Closes the connection if it cannot carry another exchange. */
function finish(connection: Connection, end: ExchangeEnd): void {
  const { exchange, reader } = connection;
  if (exchange === null) return;
  connection.exchange = null;
  const reusable =
    end === "whole" && reader.reusable && connection.unsent.length === 0 && !connection.closed;
  if (!reusable) destroy(connection);
  else {
    resume(connection);
    connection.owner.freed(connection);
  }
  exchange.ended(end);
}

/**
 * Stops reading until `resume` is called. What arrives meanwhile fills the kernel's buffer, which
 * slows the upstream down.
 */
export function pause(connection: Connection): void {
  if (connection.paused || connection.closed) return;
  connection.paused = true;
  connection.socket?.pause();
}

export function resume(connection: Connection): void {
  if (!connection.paused || connection.closed) return;
  connection.paused = false;
  connection.socket?.resume();
}

/** Closes the connection immediately; the exchange in progress gets no further events. */
export function destroy(connection: Connection): void {
  if (connection.closed) return;
  connection.closed = true;
  connection.exchange = null;
  connection.onReady = null;
  connection.unsent = [];
  connection.socket?.terminate();
  connection.owner.gone(connection);
}
