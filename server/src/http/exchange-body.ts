/**
 * Receives the body of a request: passes it on at the reader's pace, and stops receiving a body
 * that is too slow.
 */

import type { BodyPart } from "./client-request.ts";
import { feedBody } from "#http1/body-reader.ts";
import { consume, type Exchange, resume, silenceMsMax, write } from "./server-connection.ts";

/** How long a body may take at the least, however slowly it arrives. */
const bodyGraceMs = 10_000;
/** The average rate at which a body that takes longer must arrive. */
const bodyBytesPerSecondMin = 1_024;
/** How long a body may take at most, at whatever rate it arrives. */
export const bodyMsMax = 300_000;

/** Passes the body's bytes that have arrived to the reader, as long as the reader takes them. */
export function pumpBody(exchange: Exchange): void {
  const { body, connection } = exchange;
  for (;;) {
    const take = exchange.bodyTaker;
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

/** Returns the bytes of the body that have arrived and were not read yet; null: there are none. */
function nextPart({ body, connection }: Exchange): Buffer | null {
  const bytes = connection.pending;
  if (bytes === null) return null;
  const part = feedBody(body, bytes);
  consume(connection, body.restAt);
  return part;
}

/**
 * Returns the whole body, if it has a known length, has arrived and none of it was read before;
 * else null.
 */
export function wholeBody(exchange: Exchange): Buffer | null {
  const { body, connection } = exchange;
  const { isChunked, left } = body;
  if (isChunked || (connection.pending?.length ?? 0) < left) return null;
  return nextPart(exchange) ?? Buffer.alloc(0);
}

function waitForBody(exchange: Exchange): void {
  const { connection, head } = exchange;
  const nowMs = connection.server.tickedMs;
  if (exchange.paceDueMs === Infinity) {
    exchange.paceDueMs = nowMs + bodyGraceMs;
    exchange.bodyDueMs = nowMs + bodyMsMax;
    if (head.waitsForContinue && !exchange.isAnswered) {
      write(connection, Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));
    }
  }
  exchange.silenceDueMs = nowMs + silenceMsMax;
  resume(connection);
}

/** Extends the deadline for the body by the time that these bytes may take at the lowest rate. */
export function paceBody(exchange: Exchange, bytes: number): void {
  exchange.paceDueMs += (bytes / bodyBytesPerSecondMin) * 1_000;
}

export function endBody(exchange: Exchange, end: Exclude<BodyPart, Buffer>): void {
  const take = exchange.bodyTaker;
  exchange.bodyTaker = null;
  take?.(end);
}

/**
 * Whether the connection must end with this response: the client requested that, the server is
 * shutting down, or part of the request's body has not arrived and nobody will read it.
 */
export function closesAfter(exchange: Exchange): boolean {
  const { body, connection, head } = exchange;
  if (!head.keepsAlive || connection.server.draining) return true;
  while (body.phase !== "done" && body.phase !== "failed") {
    if (nextPart(exchange) === null) return true;
  }
  return body.phase === "failed";
}
