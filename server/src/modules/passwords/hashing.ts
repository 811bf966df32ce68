/**
 * Hashes passwords. Hashing is slow by design, so only a few hashes are computed at the same time.
 */

import { Refusal } from "#base/refusal.ts";
import { randomText } from "#base/secrets.ts";
import { refuseCommonPassword } from "./common-passwords.ts";
import type { Passwords } from "./passwords.ts";

/** Argon2id with the parameters that OWASP recommends for servers: 64 MiB, two passes. */
const argon = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;

/** Concurrent hashes: they take 128 MiB, and leave one core to the relay. */
const runningMax = 2;

/** Hashes that may wait in the queue: a few seconds of work. */
const waitingMax = 64;

const busyRetryMs = 2_000;

export function openPasswords(): Passwords {
  const inTurn = openTurns();
  let nobodysHash: Promise<string> | undefined;
  const hash = (password: string): Promise<string> =>
    inTurn(() => Bun.password.hash(password, argon));
  return {
    hash,
    async hashChosen(password) {
      refuseCommonPassword(password);
      return await hash(password);
    },
    async verify(password, hash) {
      nobodysHash ??= Bun.password.hash(randomText(20), argon);
      const compared = hash || (await nobodysHash);
      const matches = await inTurn(() =>
        // Throws if `compared` is not a hash, for example for an account without a password.
        Bun.password.verify(password, compared).catch(() => false),
      );
      return matches && compared === hash;
    },
  };
}

/** Runs tasks in the order of their arrival, at most `runningMax` at the same time. */
function openTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= runningMax) {
      if (waiting.length >= waitingMax) {
        throw new Refusal("busy", "服务器繁忙，请稍后再试", { retryAfterMs: busyRetryMs });
      }
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      // The slot passes directly to the next task in the queue, so that a newcomer cannot take it.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
