/**
 * Limits a socket's receive buffer. Without the limit the kernel collects megabytes for a
 * connection that is read slowly, and Bun reads half a megabyte of them into one buffer, which
 * stays in memory as long as the client is stalled.
 */

import { setSocketOption } from "#base/socket-option.ts";

/** Size requested for the buffer. The kernel doubles it to make room for its bookkeeping. */
const receiveBytes = 32 * 1024;

/**
 * `SOL_SOCKET` and `SO_RCVBUF` of Linux. Other systems have other numbers, and there the buffer is
 * not limited.
 */
const socketLevel = 1;
const receiveBufferOption = 8;

const value = new Int32Array([receiveBytes]);

/**
 * Limits the receive buffer of a socket to which no data has arrived yet. A failure is ignored,
 * because it only costs memory.
 */
export function boundReceiveBuffer(fd: number): void {
  setSocketOption(fd, socketLevel, receiveBufferOption, value);
}
