/**
 * Hashes passwords on a thread of its own, at a low priority. A hash keeps a core busy for a tenth
 * of a second, and calls must not wait for it; the runtime's own threads also compress and resolve.
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

/** Niceness of this thread: beside a busy relay it gets a tenth of a core, alone a whole one. */
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
    // Thrown for what is no hash, such as the empty text of an account without a password.
    return false;
  }
}

/** Linux has a priority a thread, named by its id. Elsewhere the thread keeps its own. */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), niceness);
  } catch {
    // Without /proc, or where a sandbox forbids it.
  }
}
