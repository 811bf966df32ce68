/** Sets an option of a socket for which the runtime has no function. */

import { FFIType, ptr } from "bun:ffi";
import { openSystemLibrary } from "./system-library.ts";

const { i32, ptr: pointer, u32 } = FFIType;

const library = openSystemLibrary({
  setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
});

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
  library?.setsockopt(fd, level, option, ptr(value), 4);
}
