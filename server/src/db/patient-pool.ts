/**
 * The connections of a thread that reads, where the server may have none left: what finds none waits
 * for one of those that the thread has, as it would if the pool were that small.
 */

import type { PostgresPool, PostgresPoolClient } from "kysely";
import type { Pool } from "pg";
import { isOutOfConnections } from "./pool-shares.ts";

/** How long the server is asked for no more connections after it had none left, in milliseconds. */
const contentMs = 1_000;

/** The pause between two tries of a thread that has no connection at all, in milliseconds. */
const retryMs = 100;

type Terms = {
  /** The most connections. */
  readonly most: number;
  /** The longest wait for one, in milliseconds. */
  readonly maxMs: number;
  /** Returns milliseconds that never go back. */
  readonly now: () => number;
};

/** @returns the pool; it rejects only if no connection was free for all the time. */
export function openPatientPool(
  pool: Pick<Pool, "connect" | "end" | "on" | "options" | "totalCount">,
  { most, maxMs, now }: Terms,
): PostgresPool {
  let growAtMs = -Infinity;
  /** The connections that stand; the pool also counts those that it is trying to open. */
  let open = pool.totalCount;
  pool.on("connect", () => void (open += 1));
  pool.on("remove", () => void (open -= 1));

  async function connect(): Promise<PostgresPoolClient> {
    const untilMs = now() + maxMs;
    for (;;) {
      if (now() >= growAtMs) pool.options.max = most;
      try {
        return await pool.connect();
      } catch (error) {
        if (!isOutOfConnections(String(error)) || now() >= untilMs) throw error;
        // Others of this thread ask for a connection as well, and all of them would be refused.
        pool.options.max = Math.max(1, open);
        growAtMs = now() + contentMs;
        if (open === 0) await Bun.sleep(retryMs);
      }
    }
  }

  return { connect, end: async () => await pool.end(), options: pool.options };
}
