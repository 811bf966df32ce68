/** Sends small answers in one write. */

import { STATUS_CODES } from "node:http";
import type { Connection } from "./connection.ts";

/** Sent in every head, so that nobody mistakes these answers for a provider's. */
export const serverName = "demo-upstream (scripted)";

/** Returns head and body of a JSON answer as one text. */
export function jsonMessage(status: number, body: string, id: string | null): string {
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Scripted"}\r\n` +
    `content-type: application/json\r\nserver: ${serverName}\r\n` +
    (id === null ? "" : `x-request-id: req_${id}\r\n`) +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Sends bytes of a picture or sound. */
export function sendBytes(
  connection: Connection,
  type: string,
  bytes: Uint8Array,
): Promise<void> | undefined {
  connection.send(
    `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nserver: ${serverName}\r\n` +
      `content-length: ${bytes.length}\r\n\r\n`,
  );
  if (connection.send(bytes)) return undefined;
  return waitForRest(connection, () => {});
}

export function sendJson(
  connection: Connection,
  status: number,
  body: string,
): Promise<void> | undefined {
  return sendWhole(connection, jsonMessage(status, body, null), () => {});
}

/**
 * Sends `text`. Returns `true` if the kernel accepted all of it, `false` if the client disconnected
 * before, and a promise only if the kernel does not accept everything immediately.
 */
export function sendWhole(
  connection: Connection,
  text: string,
  done: (complete: boolean) => void,
): Promise<void> | undefined {
  if (!connection.send(text)) return waitForRest(connection, done);
  done(true);
  return undefined;
}

async function waitForRest(
  connection: Connection,
  done: (complete: boolean) => void,
): Promise<void> {
  while (connection.isStalled()) await connection.drained();
  done(!connection.isClosed());
}
