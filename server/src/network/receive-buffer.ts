/**
 * Bounds what the kernel hands over at once. Left to itself it gathers megabytes for a connection
 * that is read slowly, and Bun then reads half a megabyte of them into one piece of memory, which
 * for a stalled client is held until it reads on or is dropped.
 */

import { dlopen, FFIType, ptr } from "bun:ffi";

/** The kernel takes twice as much, to count its own bookkeeping. */
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
      // Another C library.
    }
  }
  return null;
}

const library = openLibrary();
const value = new Int32Array([receiveBytes]);

/** Best before anything was received. Failing costs memory, nothing else. */
export function boundReceiveBuffer(fd: number): void {
  library?.symbols.setsockopt(fd, socketLevel, receiveBufferOption, ptr(value), 4);
}
