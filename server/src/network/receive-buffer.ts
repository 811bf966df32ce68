/**
 * Bounds a socket's receive buffer. Otherwise the kernel gathers megabytes for a connection that is
 * read slowly, and Bun reads half a megabyte of them into one buffer, which a stalled client then
 * holds in memory until it reads on or is cut off.
 */

import { setSocketOption } from "#base/socket-option.ts";

/** The kernel doubles the value to make room for its bookkeeping. */
const receiveBytes = 32 * 1024;

/** `SOL_SOCKET` and `SO_RCVBUF` of Linux; elsewhere the numbers differ and nothing is bounded. */
const socketLevel = 1;
const receiveBufferOption = 8;

const value = new Int32Array([receiveBytes]);

/** Call it before data arrives. If it fails, only memory is lost. */
export function boundReceiveBuffer(fd: number): void {
  setSocketOption(fd, socketLevel, receiveBufferOption, value);
}
