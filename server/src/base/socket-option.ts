/** Sets an option of a socket for which the runtime has no function. */

import { dlopen, FFIType, ptr } from "bun:ffi";

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
      // This library does not exist on this system, so the next name is tried.
    }
  }
  return null;
}

const library = openLibrary();

/**
 * Sets an option of a socket on Linux; elsewhere the numbers differ, so nothing happens. If it
 * fails, the socket keeps the value that the system gave it.
 *
 * @param value one whole number, allocated once.
 */
export function setSocketOption(
  fd: number,
  level: number,
  option: number,
  value: Int32Array<ArrayBuffer>,
): void {
  library?.symbols.setsockopt(fd, level, option, ptr(value), 4);
}
