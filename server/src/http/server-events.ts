/**
 * The events of a client's connection. Bytes become requests, each answered before the next one is
 * read. Unread bytes are limited, and clients that are too slow are cut off.
 */

import type { WebSocketEnd } from "#websocket/web-socket.ts";
import { endBody, pumpBody } from "./exchange-body.ts";
import { cutHead, withoutLineEnds } from "./request-head.ts";
import {
  append,
  type Connection,
  consume,
  type Exchange,
  nextRequestDueMs,
  pause,
  resume,
  silenceMsMax,
} from "./server-connection.ts";

/** A client that reads none of its response for this long is cut off. */
export const stalledMsMax = 60_000;
/** How long the client may keep a connection open that the server has ended. */
const lingerMs = 2_000;
/**
 * How long a client that closed its side counts as connected if nothing is sent to it. It may still
 * read, or be gone altogether, which shows only when something is sent.
 */
const halfClosedMs = 1_000;
/** The largest number of bytes that wait to be processed. Beyond it the connection is not read. */
const pendingBytesMax = 64 * 1024;

export function received(connection: Connection, bytes: Buffer): void {
  const { exchange, pending, phase } = connection;
  if (phase !== "open") return;
  if (connection.webSocket !== null) {
    connection.webSocket.received(bytes);
    return;
  }
  append(connection, bytes);
  if (exchange === null) {
    // The deadline of a head starts with its first bytes. It stays when more of the head arrives.
    if (pending === null && withoutLineEnds(bytes).length > 0) {
      connection.dueMs = connection.server.tickedMs + silenceMsMax;
    }
    readRequests(connection);
  } else if (exchange.bodyTaker !== null) pumpBody(exchange);
  const isMuch = (connection.pending?.length ?? 0) > pendingBytesMax;
  if (isMuch) pause(connection);
}

/** Processes requests one after the other, until one is not answered immediately. */
function readRequests(connection: Connection): void {
  if (connection.reading) return;
  connection.reading = true;
  // A client that does not read its responses gets no further ones.
  while (isFree(connection) && connection.unsent.length === 0 && !connection.rests) {
    if (connection.pending === null || !readRequest(connection, connection.pending)) break;
  }
  connection.reading = false;
}

/** Whether the connection can begin with its next request. */
function isFree({ exchange, webSocket }: Connection): boolean {
  return exchange === null && webSocket === null;
}

/**
 * Begins the next exchange. False: no exchange began, because the head is incomplete or invalid.
 */
function readRequest(connection: Connection, pending: Buffer): boolean {
  const { server } = connection;
  const cut = cutHead(pending, connection.searched);
  if (cut === undefined) {
    const rest = withoutLineEnds(pending);
    connection.searched = rest.length;
    consume(connection, pending.length - rest.length);
    return false;
  }
  const { head, restAt } = cut;
  connection.searched = 0;
  consume(connection, restAt);
  if (typeof head === "number") {
    server.refuse(connection, head);
    return false;
  }
  const disconnectDueMs = connection.halfClosed ? server.tickedMs + halfClosedMs : Infinity;
  const exchange = server.newExchange(connection, head, disconnectDueMs);
  connection.exchange = exchange;
  server.answer(exchange);
  return true;
}

/** Ends an exchange whose response the handler has completed. */
export function finish(exchange: Exchange): void {
  const { connection } = exchange;
  if (connection.exchange !== exchange) return;
  connection.exchange = null;
  exchange.disconnectListener = null;
  exchange.drainListener = null;
  endBody(exchange, "broken");
  if (exchange.closes) endConnection(connection);
  else if (connection.rests) rest(connection);
  else proceed(connection);
}

/** Reads nothing from the connection until `wake`. Its client may ask again; that waits. */
function rest(connection: Connection): void {
  connection.dueMs = Infinity;
  pause(connection);
  connection.server.resting.add(connection);
}

/** Reads a connection again that has rested. */
export function wake(connection: Connection): void {
  connection.rests = false;
  connection.isWoken = true;
  proceed(connection);
}

/** Continues with the next request, once the kernel has accepted the whole response. */
function proceed(connection: Connection): void {
  const { server, phase, unsent } = connection;
  if (unsent.length > 0 || phase !== "open" || connection.rests) return;
  connection.dueMs =
    connection.pending === null ? nextRequestDueMs(server) : server.tickedMs + silenceMsMax;
  resume(connection);
  if (connection.reading) return;
  readRequests(connection);
  // If the client has closed its side, no further request can become complete.
  const isIdle = connection.exchange === null && connection.unsent.length === 0;
  if (connection.halfClosed && isIdle) endConnection(connection);
}

/** Called when the kernel accepts more bytes. */
export function drained(connection: Connection): void {
  const { unsent } = connection;
  for (let bytes = unsent[0]; bytes !== undefined; bytes = unsent[0]) {
    const sent = Math.max(0, connection.socket.write(bytes));
    if (sent > 0) connection.sentMs = connection.server.tickedMs;
    if (sent < bytes.length) {
      unsent[0] = bytes.subarray(sent);
      return;
    }
    unsent.shift();
  }
  if (connection.phase === "closing") sendEnd(connection);
  else if (connection.webSocket !== null) connection.webSocket.wireDrained();
  else if (connection.exchange === null) proceed(connection);
  else connection.exchange.drainListener?.();
}

/** Stops reading requests, and ends the connection once everything is sent. */
export function endConnection(connection: Connection): void {
  if (connection.phase !== "open") return;
  connection.phase = "closing";
  connection.pending = null;
  connection.dueMs = Infinity;
  if (connection.unsent.length === 0) sendEnd(connection);
}

/**
 * Closes only the server's side. If the connection were closed completely while bytes arrive, the
 * client would lose the response.
 */
function sendEnd(connection: Connection): void {
  connection.dueMs = connection.server.tickedMs + lingerMs;
  connection.socket.shutdown();
  resume(connection);
}

/** Called when the client has closed its side. It may still read. */
export function halfClosed(connection: Connection): void {
  const { exchange, server, phase } = connection;
  connection.halfClosed = true;
  if (phase !== "open") return;
  if (connection.webSocket !== null) {
    // A WebSocket ends for both sides at once.
    endConnection(connection);
    return;
  }
  if (exchange === null) {
    if (connection.unsent.length === 0) endConnection(connection);
    return;
  }
  exchange.disconnectDueMs = server.tickedMs + halfClosedMs;
  if (exchange.bodyTaker !== null) pumpBody(exchange);
}

/** Called when the connection is closed. */
export function closed(connection: Connection): void {
  if (connection.phase === "closed") return;
  const { exchange, server } = connection;
  connection.phase = "closed";
  connection.pending = null;
  connection.unsent = [];
  server.connections.delete(connection);
  connection.exchange = null;
  connection.webSocket?.lost();
  if (exchange === null) return;
  endBody(exchange, "broken");
  disconnected(exchange);
}

/**
 * Makes the connection a WebSocket, after the head that says so. Its bytes are no longer read as
 * requests.
 */
export function upgrade(exchange: Exchange, webSocket: WebSocketEnd): void {
  const { connection } = exchange;
  const { pending } = connection;
  connection.exchange = null;
  connection.webSocket = webSocket;
  consume(connection, pending?.length ?? 0);
  exchange.disconnectListener = null;
  // What came behind the head is read once the handler has its end.
  queueMicrotask(() => {
    if (pending !== null && connection.phase === "open") webSocket.received(pending);
    if (!webSocket.isPaused) resume(connection);
  });
}

function disconnected(exchange: Exchange): void {
  const tell = exchange.disconnectListener;
  exchange.isDisconnected = true;
  exchange.disconnectListener = null;
  exchange.drainListener = null;
  tell?.();
}

/** Closes the connection immediately, unsent bytes included. */
export function destroy(connection: Connection): void {
  if (connection.phase === "closed") return;
  connection.socket.terminate();
  closed(connection);
}

export function tick(connection: Connection, nowMs: number): void {
  const { exchange, server, unsent } = connection;
  if (unsent.length > 0 && nowMs - connection.sentMs >= stalledMsMax) destroy(connection);
  else if (connection.webSocket !== null && connection.phase === "open") {
    connection.webSocket.tick(nowMs);
  } else if (exchange === null) {
    if (nowMs < connection.dueMs) return;
    if (connection.phase === "closing") destroy(connection);
    else if (connection.pending === null) endConnection(connection);
    else server.refuse(connection, 408);
  } else {
    const { bodyDueMs, bodyTaker, paceDueMs, silenceDueMs } = exchange;
    if (bodyTaker !== null && nowMs >= Math.min(bodyDueMs, paceDueMs, silenceDueMs)) {
      endBody(exchange, "too-slow");
    }
    if (nowMs >= exchange.disconnectDueMs) mayBeDisconnected(exchange);
  }
}

/**
 * Counts the client as disconnected, unless it has accepted bytes since it closed its side, which
 * shows that it is still there.
 */
function mayBeDisconnected(exchange: Exchange): void {
  const { connection, disconnectDueMs } = exchange;
  exchange.disconnectDueMs = Infinity;
  if (connection.sentMs <= disconnectDueMs - halfClosedMs) disconnected(exchange);
}
