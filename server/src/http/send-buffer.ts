/**
 * Bounds what the kernel takes for a client that does not read. Otherwise it gathers megabytes a
 * connection before the relay notices, and each of these bytes passes through the process as
 * garbage. Bytes on their way do not count, so that a distant client gets them as fast as before.
 */

import { setSocketOption } from "#base/socket-option.ts";

/** Bytes that wait in the kernel to be sent. */
const unsentBytes = 64 * 1024;

/** `IPPROTO_TCP` and `TCP_NOTSENT_LOWAT` of Linux. */
const tcpLevel = 6;
const notSentOption = 25;

const value = new Int32Array([unsentBytes]);

/** Call it before anything is sent. */
export function boundSendBuffer(socket: object): void {
  if ("fd" in socket && typeof socket.fd === "number") {
    setSocketOption(socket.fd, tcpLevel, notSentOption, value);
  }
}
