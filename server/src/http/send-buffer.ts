/**
 * Limits how many unsent bytes the kernel takes for a client that does not read. Without the limit
 * the kernel collects megabytes a connection before the relay notices, and each of these bytes
 * passes through the process as garbage. Bytes already on the network do not count, so a distant
 * client gets its answer as fast as without the limit.
 */

import { setSocketOption } from "#base/socket-option.ts";

/** How many bytes may wait in the kernel to be sent. */
const unsentBytes = 64 * 1024;

/** `IPPROTO_TCP` and `TCP_NOTSENT_LOWAT` of Linux. */
const tcpLevel = 6;
const notSentOption = 25;

const value = new Int32Array([unsentBytes]);

/** Limits the unsent bytes of a socket on which nothing was sent yet. */
export function boundSendBuffer(socket: object): void {
  if ("fd" in socket && typeof socket.fd === "number") {
    setSocketOption(socket.fd, tcpLevel, notSentOption, value);
  }
}
