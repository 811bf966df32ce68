/** Opens the C library of the system, for the few system calls that the runtime has no function for. */

import { dlopen, type FFIFunction, type Library } from "bun:ffi";

const names = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/**
 * Opens the functions of the C library. Null outside of Linux, where numbers and structures differ,
 * and on a Linux with another library.
 */
export function openSystemLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const name of names) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // This library does not exist on this system, so the next name is tried.
    }
  }
  return null;
}
