/**
 * One connection of a client: bytes into requests, one after the other, each answered before the
 * next is looked at. What nobody asks for stays unread, at a bounded size; who is too slow for
 * too long is given up.
 */

import type { Socket } from "bun";
import type { BodyPart, ClientRequest } from "./client-request.ts";
import { type BodyReader, feedBody, newBodyReader } from "./front-body.ts";
import { cutHead, type HeadFault, type RequestHead } from "./front-head.ts";

/** How long a connection may be without a request, a head may take, and a body may stop. */
export const idleMsMax = 10_000;
/** A body may take this long, however slow. */
export const bodyGraceMs = 10_000;
/** After it, so many bytes must have come for every second since. */
export const bodyBytesPerSecondMin = 1_024;
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

export type Connection = {
  readonly front: FrontState;
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
  whenLeft: (() => void) | null;
  /** When a client that says nothing more counts as gone. */
  leftDueMs: number;
  hasLeft: boolean;
  /** The head of the response is out, and says whether the connection ends with it. */
  isAnswered: boolean;
  closes: boolean;
  /** A stream waits for the client to take what it was given. */
  whenTaken: (() => void) | null;
};

/** What all connections share. */
export type FrontState = {
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

export function openConnection(front: FrontState, socket: Socket<Connection>): Connection {
  const connection: Connection = {
    front,
    socket,
    peer: socket.remoteAddress,
    pending: null,
    exchange: null,
    unsent: [],
    sentMs: 0,
    dueMs: front.tickedMs + idleMsMax,
    paused: false,
    reading: false,
    halfClosed: false,
    phase: "open",
  };
  front.connections.add(connection);
  return connection;
}

export function received(connection: Connection, bytes: Buffer): void {
  const { exchange, pending, phase } = connection;
  if (phase !== "open") return;
  connection.pending = pending === null ? bytes : Buffer.concat([pending, bytes]);
  if (exchange === null) {
    // A head that began keeps its time limit, however it goes on.
    if (pending === null) connection.dueMs = connection.front.tickedMs + idleMsMax;
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
  const { front } = connection;
  const cut = cutHead(pending);
  if (cut === undefined) return false;
  const { head, restAt } = cut;
  connection.pending = restAt < pending.length ? pending.subarray(restAt) : null;
  if (typeof head === "number") {
    front.refuse(connection, head);
    return false;
  }
  const exchange = newExchange(connection, head);
  connection.exchange = exchange;
  front.answer(front.requestOf(exchange));
  return true;
}

function newExchange(connection: Connection, head: RequestHead): Exchange {
  const { front, halfClosed } = connection;
  return {
    connection,
    head,
    body: newBodyReader(head.body),
    takeBody: null,
    paceDueMs: Infinity,
    silenceDueMs: Infinity,
    whenLeft: null,
    leftDueMs: halfClosed ? front.tickedMs + halfClosedMs : Infinity,
    hasLeft: false,
    isAnswered: false,
    closes: false,
    whenTaken: null,
  };
}

/** Hands on what came of the body, while somebody takes it. */
export function pumpBody(exchange: Exchange): void {
  const { body, connection } = exchange;
  for (;;) {
    const take = exchange.takeBody;
    if (take === null) return;
    if (body.phase === "failed") return endBody(exchange, "broken");
    if (body.phase === "done") return endBody(exchange, "whole");
    const part = nextPart(exchange);
    if (part === null) break;
    if (part.length > 0) take(part);
  }
  if (connection.halfClosed || connection.phase !== "open") endBody(exchange, "broken");
  else waitForBody(exchange);
}

/** The body as far as it came; null: nothing came. */
function nextPart({ body, connection }: Exchange): Buffer | null {
  const bytes = connection.pending;
  if (bytes === null) return null;
  const part = feedBody(body, bytes);
  connection.pending = body.restAt < bytes.length ? bytes.subarray(body.restAt) : null;
  return part;
}

/** The body when all of it is there and nothing of it was asked for before; else null. */
export function wholeBody(exchange: Exchange): Buffer | null {
  const { body, connection } = exchange;
  const { isChunked, left } = body;
  if (isChunked || (connection.pending?.length ?? 0) < left) return null;
  return nextPart(exchange) ?? Buffer.alloc(0);
}

function waitForBody(exchange: Exchange): void {
  const { connection, head } = exchange;
  const nowMs = connection.front.tickedMs;
  if (exchange.paceDueMs === Infinity) {
    exchange.paceDueMs = nowMs + bodyGraceMs;
    if (head.waitsForContinue && !exchange.isAnswered) {
      write(connection, Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));
    }
  }
  exchange.silenceDueMs = nowMs + idleMsMax;
  resume(connection);
}

/** Counts what came towards what a body has to bring. */
export function paceBody(exchange: Exchange, bytes: number): void {
  exchange.paceDueMs += (bytes / bodyBytesPerSecondMin) * 1_000;
}

export function endBody(exchange: Exchange, end: Exclude<BodyPart, Buffer>): void {
  const take = exchange.takeBody;
  exchange.takeBody = null;
  take?.(end);
}

/**
 * Whether the connection ends with this response: its end cannot be told from what follows, the
 * client wants it so, or a body is on its way that nobody reads.
 */
export function closesAfter(exchange: Exchange): boolean {
  const { body, connection, head } = exchange;
  if (!head.keepsAlive || connection.front.draining) return true;
  while (body.phase !== "done" && body.phase !== "failed") {
    if (nextPart(exchange) === null) return true;
  }
  return body.phase === "failed";
}

/** The response is whole, as far as it is ours to say. */
export function finish(exchange: Exchange): void {
  const { connection } = exchange;
  if (connection.exchange !== exchange) return;
  connection.exchange = null;
  exchange.whenLeft = null;
  exchange.whenTaken = null;
  endBody(exchange, "broken");
  if (exchange.closes) endConnection(connection);
  else proceed(connection);
}

/** On to the next request, once all of the response before is with the kernel. */
function proceed(connection: Connection): void {
  const { front, phase, unsent } = connection;
  if (unsent.length > 0 || phase !== "open") return;
  connection.dueMs = front.tickedMs + idleMsMax;
  resume(connection);
  if (connection.reading) return;
  readRequests(connection);
  // Behind the end of what the client says no request can become whole.
  const isIdle = connection.exchange === null && connection.unsent.length === 0;
  if (connection.halfClosed && isIdle) endConnection(connection);
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
  connection.sentMs = connection.front.tickedMs;
  return Math.max(0, connection.socket.write(bytes, 0, length));
}

/** The kernel takes more. */
export function drained(connection: Connection): void {
  const { unsent } = connection;
  for (let bytes = unsent[0]; bytes !== undefined; bytes = unsent[0]) {
    const sent = Math.max(0, connection.socket.write(bytes));
    if (sent > 0) connection.sentMs = connection.front.tickedMs;
    if (sent < bytes.length) {
      unsent[0] = bytes.subarray(sent);
      return;
    }
    unsent.shift();
  }
  if (connection.phase === "closing") sendEnd(connection);
  else if (connection.exchange === null) proceed(connection);
  else connection.exchange.whenTaken?.();
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
  connection.dueMs = connection.front.tickedMs + lingerMs;
  connection.socket.shutdown();
  resume(connection);
}

/** The client says nothing more; it may still listen. */
export function halfClosed(connection: Connection): void {
  const { exchange, front, phase } = connection;
  connection.halfClosed = true;
  if (phase !== "open") return;
  if (exchange === null) {
    if (connection.unsent.length === 0) endConnection(connection);
    return;
  }
  exchange.leftDueMs = front.tickedMs + halfClosedMs;
  if (exchange.takeBody !== null) pumpBody(exchange);
}

/** The connection is gone. */
export function closed(connection: Connection): void {
  if (connection.phase === "closed") return;
  const { exchange, front } = connection;
  connection.phase = "closed";
  connection.pending = null;
  connection.unsent = [];
  front.connections.delete(connection);
  connection.exchange = null;
  if (exchange === null) return;
  endBody(exchange, "broken");
  left(exchange);
}

function left(exchange: Exchange): void {
  const tell = exchange.whenLeft;
  exchange.hasLeft = true;
  exchange.whenLeft = null;
  exchange.whenTaken = null;
  tell?.();
}

/** Breaks the connection off. */
export function destroy(connection: Connection): void {
  if (connection.phase === "closed") return;
  connection.socket.terminate();
  closed(connection);
}

export function tick(connection: Connection, nowMs: number): void {
  const { exchange, front, unsent } = connection;
  if (unsent.length > 0 && nowMs - connection.sentMs >= stalledMsMax) destroy(connection);
  else if (exchange === null) {
    if (nowMs < connection.dueMs) return;
    if (connection.phase === "closing") destroy(connection);
    else if (connection.pending === null) endConnection(connection);
    else front.refuse(connection, 408);
  } else {
    const { paceDueMs, silenceDueMs, takeBody } = exchange;
    if (takeBody !== null && nowMs >= Math.min(paceDueMs, silenceDueMs)) {
      endBody(exchange, "too-slow");
    }
    if (nowMs >= exchange.leftDueMs) mayHaveLeft(exchange);
  }
}

/** Who has taken bytes since it fell silent is there: whoever is gone would have refused them. */
function mayHaveLeft(exchange: Exchange): void {
  const { connection, leftDueMs } = exchange;
  exchange.leftDueMs = Infinity;
  if (connection.sentMs <= leftDueMs - halfClosedMs) left(exchange);
}

function pause(connection: Connection): void {
  if (connection.paused || connection.phase === "closed") return;
  connection.paused = true;
  connection.socket.pause();
}

function resume(connection: Connection): void {
  if (!connection.paused || connection.phase === "closed") return;
  connection.paused = false;
  connection.socket.resume();
}
