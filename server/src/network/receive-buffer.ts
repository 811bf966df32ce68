/**
 * Bounds a socket's receive buffer. Otherwise the kernel gathers megabytes for a connection that is
 * read slowly, and Bun reads half a megabyte of them into one buffer, which a stalled client then
 * holds in memory until it reads on or is cut off.
 */

import { dlopen, FFIType, ptr } from "bun:ffi";

/** The kernel doubles the value to make room for its bookkeeping. */
const receiveBytes = 32 * 1024;

/** `SOL_SOCKET` and `SO_RCVBUF` of Linux; elsewhere the numbers differ and nothing is bounded. */
const socketLevel = 1;
const receiveBufferOption = 8;

const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

function openLibrary() {
  if (process.platform !== "linux") return null;
  const { i32, ptr: pointer, u32 } = FFIType;
  for (const name of libraries) {
    try {
      return dlopen(name, {
        setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
      });
    } catch {
      // This library does not exist here; the next name is tried.
    }
  }
  return null;
}

const library = openLibrary();
const value = new Int32Array([receiveBytes]);

/** Call it before data arrives. If it fails, only memory is lost. */
export function boundReceiveBuffer(fd: number): void {
  library?.symbols.setsockopt(fd, socketLevel, receiveBufferOption, ptr(value), 4);
}
