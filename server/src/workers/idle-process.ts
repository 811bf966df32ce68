/** Lets a process run only on cores that nothing else wants. */

import { FFIType, ptr } from "bun:ffi";
import { openSystemLibrary } from "#base/system-library.ts";

const { i64, ptr: pointer } = FFIType;

// The numbered system call, because musl's `sched_setscheduler` only fails.
const library = openSystemLibrary({ syscall: { args: [i64, i64, i64, pointer], returns: i64 } });

/** The number of the system call `sched_setscheduler`. Source: asm/unistd.h, 2026-11-23. */
const callNumbers: Readonly<Record<string, number>> = { x64: 144, arm64: 119 };

/** The scheduling policy `SCHED_IDLE` of Linux. Source: sched(7), 2026-11-23. */
const idlePolicy = 5;

/** `struct sched_param`; the policy has the priority 0 alone. */
const parameters = new Int32Array([0]);

/**
 * Gives a process the scheduling policy `SCHED_IDLE`. It applies to the threads that the process
 * starts afterwards, so it must be set before the process has started any. The kernel takes a core
 * that runs only such threads for an idle one: a thread that wakes up gets it at once, where it
 * would wait several milliseconds for a thread that is only nice. A process cannot leave the policy
 * without privileges.
 *
 * Outside of Linux, and where the system forbids it, the process keeps its policy.
 */
export function letRunWhenIdle(pid: number): void {
  const number = callNumbers[process.arch];
  if (number !== undefined) library?.syscall(number, pid, idlePolicy, ptr(parameters));
}
