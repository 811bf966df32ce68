/**
 * One connection of a client: bytes into requests, one after the other, each answered before the
 * next is looked at. What nobody asks for stays unread, at a bounded size; who is too slow for
 * too long is given up.
 */

import { endBody, pumpBody } from "./exchange-body.ts";
import { newBodyReader } from "./request-body.ts";
import { cutHead, type RequestHead } from "./request-head.ts";
import { type Connection, type Exchange, idleMsMax, pause, resume } from "./server-connection.ts";

/** A client that takes nothing for so long is given up. */
export const stalledMsMax = 60_000;
/** How long a connection that we have ended may go on from the other side. */
const lingerMs = 2_000;
/**
 * A client that says nothing more may be gone altogether; the two look the same until something
 * is sent. If it gets nothing for so long it is taken for one that left.
 */
const halfClosedMs = 1_000;
/** Bytes that wait for somebody to ask for them before no more are read. */
const pendingBytesMax = 64 * 1024;

export function received(connection: Connection, bytes: Buffer): void {
  const { exchange, pending, phase } = connection;
  if (phase !== "open") return;
  connection.pending = pending === null ? bytes : Buffer.concat([pending, bytes]);
  if (exchange === null) {
    // A head that began keeps its time limit, however it goes on.
    if (pending === null) connection.dueMs = connection.server.tickedMs + idleMsMax;
    readRequests(connection);
  } else if (exchange.takeBody !== null) pumpBody(exchange);
  const isMuch = (connection.pending?.length ?? 0) > pendingBytesMax;
  if (isMuch) pause(connection);
}

/** Goes through what came, one request after the other, until one has to be waited for. */
function readRequests(connection: Connection): void {
  if (connection.reading) return;
  connection.reading = true;
  // What is sent goes first: who does not take responses gets no more of them.
  while (connection.exchange === null && connection.unsent.length === 0) {
    if (connection.pending === null || !readRequest(connection, connection.pending)) break;
  }
  connection.reading = false;
}

/** Begins the next exchange. False: its head is not there yet. */
function readRequest(connection: Connection, pending: Buffer): boolean {
  const { server } = connection;
  const cut = cutHead(pending);
  if (cut === undefined) return false;
  const { head, restAt } = cut;
  connection.pending = restAt < pending.length ? pending.subarray(restAt) : null;
  if (typeof head === "number") {
    server.refuse(connection, head);
    return false;
  }
  const exchange = newExchange(connection, head);
  connection.exchange = exchange;
  server.answer(server.requestOf(exchange));
  return true;
}

function newExchange(connection: Connection, head: RequestHead): Exchange {
  const { server, halfClosed } = connection;
  return {
    connection,
    head,
    body: newBodyReader(head.body),
    takeBody: null,
    paceDueMs: Infinity,
    silenceDueMs: Infinity,
    onDisconnect: null,
    disconnectDueMs: halfClosed ? server.tickedMs + halfClosedMs : Infinity,
    isDisconnected: false,
    isAnswered: false,
    closes: false,
    onDrained: null,
  };
}

/** The response is whole, as far as it is ours to say. */
export function finish(exchange: Exchange): void {
  const { connection } = exchange;
  if (connection.exchange !== exchange) return;
  connection.exchange = null;
  exchange.onDisconnect = null;
  exchange.onDrained = null;
  endBody(exchange, "broken");
  if (exchange.closes) endConnection(connection);
  else proceed(connection);
}

/** On to the next request, once all of the response before is with the kernel. */
function proceed(connection: Connection): void {
  const { server, phase, unsent } = connection;
  if (unsent.length > 0 || phase !== "open") return;
  connection.dueMs = server.tickedMs + idleMsMax;
  resume(connection);
  if (connection.reading) return;
  readRequests(connection);
  // Behind the end of what the client says no request can become whole.
  const isIdle = connection.exchange === null && connection.unsent.length === 0;
  if (connection.halfClosed && isIdle) endConnection(connection);
}

/** The kernel takes more. */
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
  else if (connection.exchange === null) proceed(connection);
  else connection.exchange.onDrained?.();
}

/** Nothing more is read, and what is to be sent is sent. */
export function endConnection(connection: Connection): void {
  if (connection.phase !== "open") return;
  connection.phase = "closing";
  connection.pending = null;
  connection.dueMs = Infinity;
  if (connection.unsent.length === 0) sendEnd(connection);
}

/** Closed at once while bytes come in, the connection would take the response with it. */
function sendEnd(connection: Connection): void {
  connection.dueMs = connection.server.tickedMs + lingerMs;
  connection.socket.shutdown();
  resume(connection);
}

/** The client says nothing more; it may still listen. */
export function halfClosed(connection: Connection): void {
  const { exchange, server, phase } = connection;
  connection.halfClosed = true;
  if (phase !== "open") return;
  if (exchange === null) {
    if (connection.unsent.length === 0) endConnection(connection);
    return;
  }
  exchange.disconnectDueMs = server.tickedMs + halfClosedMs;
  if (exchange.takeBody !== null) pumpBody(exchange);
}

/** The connection is gone. */
export function closed(connection: Connection): void {
  if (connection.phase === "closed") return;
  const { exchange, server } = connection;
  connection.phase = "closed";
  connection.pending = null;
  connection.unsent = [];
  server.connections.delete(connection);
  connection.exchange = null;
  if (exchange === null) return;
  endBody(exchange, "broken");
  disconnected(exchange);
}

function disconnected(exchange: Exchange): void {
  const tell = exchange.onDisconnect;
  exchange.isDisconnected = true;
  exchange.onDisconnect = null;
  exchange.onDrained = null;
  tell?.();
}

/** Breaks the connection off. */
export function destroy(connection: Connection): void {
  if (connection.phase === "closed") return;
  connection.socket.terminate();
  closed(connection);
}

export function tick(connection: Connection, nowMs: number): void {
  const { exchange, server, unsent } = connection;
  if (unsent.length > 0 && nowMs - connection.sentMs >= stalledMsMax) destroy(connection);
  else if (exchange === null) {
    if (nowMs < connection.dueMs) return;
    if (connection.phase === "closing") destroy(connection);
    else if (connection.pending === null) endConnection(connection);
    else server.refuse(connection, 408);
  } else {
    const { paceDueMs, silenceDueMs, takeBody } = exchange;
    if (takeBody !== null && nowMs >= Math.min(paceDueMs, silenceDueMs)) {
      endBody(exchange, "too-slow");
    }
    if (nowMs >= exchange.disconnectDueMs) mayBeDisconnected(exchange);
  }
}

/** A client that has taken bytes since it closed its side is there: else they were refused. */
function mayBeDisconnected(exchange: Exchange): void {
  const { connection, disconnectDueMs } = exchange;
  exchange.disconnectDueMs = Infinity;
  if (connection.sentMs <= disconnectDueMs - halfClosedMs) disconnected(exchange);
}
