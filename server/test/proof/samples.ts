/** Samples a value while a test runs. */

import { readFileSync, readdirSync } from "node:fs";
import type { ConsoleClient } from "#test/console.ts";
import { balanceOf } from "./ledger.ts";

type Sampler = {
  /**
   * Stops sampling.
   * @returns all values in order.
   */
  stop(): Promise<number[]>;
};

/** Calls `read` again and again until it is stopped. */
export function startSampler(everyMs: number, read: () => Promise<number> | number): Sampler {
  const values: number[] = [];
  let running = true;
  const done = (async () => {
    while (running) {
      values.push(await read());
      await Bun.sleep(everyMs);
    }
  })();
  return {
    async stop() {
      running = false;
      await done;
      return values;
    },
  };
}

/** Samples a user's balance every 50 ms, as the user sees it. */
export function sampleBalance(client: ConsoleClient): Sampler {
  return startSampler(50, () => balanceOf(client));
}

/** Reads the resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}

/** Counts the open file descriptors of a process; most are sockets. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export const mebibyte = 1024 * 1024;
