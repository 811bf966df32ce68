/**
 * Hashes passwords on a thread of its own, at a low priority. A hash keeps a core busy for a tenth
 * of a second, and calls of clients must not wait for it. The runtime's own thread pool is no
 * alternative, because it also compresses answers and resolves names.
 */

import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import type { HashedMessage, HashMessage } from "./hashing-client.ts";

declare const self: {
  onmessage: ((event: MessageEvent<HashMessage>) => void) | null;
  postMessage(message: HashedMessage): void;
};

/** Argon2id with the parameters that OWASP recommends for servers: 64 MiB, two passes. */
const argon = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;

/**
 * Niceness of this thread: while the relay is busy it gets a tenth of a core, otherwise a whole
 * one.
 */
const niceness = 10;

lowerPriority();

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ id: data.id, result: work(data) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    self.postMessage({ id: data.id, failure: reason });
  }
};

function work(message: HashMessage): boolean | string {
  if (message.kind === "hash") return Bun.password.hashSync(message.password, argon);
  try {
    return Bun.password.verifySync(message.password, message.hash);
  } catch {
    // `verifySync` throws if the text is not a hash, such as the empty text of an account without a
    // password.
    return false;
  }
}

/**
 * Lowers this thread's priority. Linux has a priority per thread, named by the thread's id;
 * elsewhere nothing changes.
 */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), niceness);
  } catch {
    // The priority stays: there is no /proc, or a sandbox forbids changing it.
  }
}
