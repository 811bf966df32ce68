/**
 * Hashes passwords in a process of its own, at a low priority. A hash keeps a core busy for a tenth
 * of a second and takes 64 MiB of fresh memory, and calls of clients must not wait for it. The
 * gateway's own process would get and give back that memory under locks of the kernel that its
 * relaying thread needs, too.
 *
 * Passwords arrive and hashes leave as messages, so neither is among the process's arguments or in
 * its environment. This file is started as a program and imports nothing of the project; see
 * `threads.ts`.
 */

import { setPriority } from "node:os";
import type { HashedMessage, HashMessage } from "./hashing-client.ts";

/** Argon2id with the parameters that OWASP recommends for servers: 64 MiB, two passes. */
const argon = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;

/**
 * Niceness of this process: while the relay is busy it gets a tenth of a core, otherwise a whole
 * one. Of a process that runs only when a core is idle (`threads.ts`), it changes nothing.
 */
const niceness = 10;

lowerPriority();

process.on("message", (message) => {
  // Safe cast: `hashing-client.ts` sent it.
  const asked = message as HashMessage;
  answer(asked);
});
// The gateway has ended. However that happened, the kernel has closed the connection.
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches every process of a terminal. The gateway hashes on while it drains.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2"] as const) {
  process.on(signal, () => {});
}

function answer(message: HashMessage): void {
  try {
    send({ id: message.id, result: work(message) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    send({ id: message.id, failure: reason });
  }
}

function send(message: HashedMessage): void {
  process.send?.(message);
}

function work(message: HashMessage): boolean | string {
  if (message.kind === "hash") return Bun.password.hashSync(message.password, argon);
  try {
    return Bun.password.verifySync(bytesFor(message.password, message.hash), message.hash);
  } catch {
    // `verifySync` throws if the text is not a hash, such as the empty text of an account without a
    // password.
    return false;
  }
}

/** The bytes of a password that bcrypt looks at; programs that use it cut the rest off. */
const bcryptMax = 72;

/** A hash that another program made with bcrypt is of the beginning of a long password alone. */
function bytesFor(password: string, hash: string): Uint8Array {
  const bytes = new TextEncoder().encode(password);
  return hash.startsWith("$2") ? bytes.subarray(0, bcryptMax) : bytes;
}

function lowerPriority(): void {
  try {
    setPriority(niceness);
  } catch {
    // The priority stays: a sandbox forbids changing it.
  }
}
