/** The body of a request while it comes: handed on as somebody takes it, and not too slowly. */

import type { BodyPart } from "./client-request.ts";
import { feedBody } from "./request-body.ts";
import { type Exchange, idleMsMax, resume, write } from "./server-connection.ts";

/** A body may take this long, however slow. */
export const bodyGraceMs = 10_000;
/** After it, so many bytes must have come for every second since. */
export const bodyBytesPerSecondMin = 1_024;
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
  const nowMs = connection.server.tickedMs;
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
  if (!head.keepsAlive || connection.server.draining) return true;
  while (body.phase !== "done" && body.phase !== "failed") {
    if (nextPart(exchange) === null) return true;
  }
  return body.phase === "failed";
}
