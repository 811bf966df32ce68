/**
 * Hashes passwords. Hashing is slow by design, so it runs in processes of its own, and the number of
 * hashes that wait for these processes is limited.
 */

import { Refusal } from "#base/refusal.ts";
import { randomText } from "#base/secrets.ts";
import type { Ports } from "#modules/module.ts";
import { refuseCommonPassword } from "./common-passwords.ts";
import type { Passwords } from "./passwords.ts";

/** The largest number of hashes that may wait: a few seconds of work. */
const waitingMax = 64;

const busyRetryMs = 2_000;

export function openPasswords(hashing: Ports["hashing"]): Passwords {
  const inTurn = openTurns(hashing.atOnce);
  let nobodysHash: Promise<string> | undefined;
  const hash = (password: string): Promise<string> => inTurn(() => hashing.hash(password));
  const makeNobodys = async (): Promise<string> => {
    try {
      return await hashing.hash(randomText(20));
    } catch (error) {
      nobodysHash = undefined;
      throw error;
    }
  };
  return {
    hash,
    async hashChosen(password) {
      refuseCommonPassword(password);
      return await hash(password);
    },
    async verify(password, hash) {
      nobodysHash ??= makeNobodys();
      const compared = hash || (await nobodysHash);
      const matches = await inTurn(() => hashing.verify(password, compared));
      return matches && compared === hash;
    },
  };
}

/**
 * Returns a function that runs tasks in the order of their arrival, at most `runningMax` at the
 * same time.
 */
function openTurns(runningMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
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
      // The running slot passes directly to the next waiting task, so that a task that arrives now
      // cannot take it.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
