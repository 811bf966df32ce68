/** The notes that wait to be stored, in batches. When the database cannot keep up, they are dropped. */

import type { Logger } from "#base/logger.ts";
import type { RemoteStore } from "#db/store.ts";
import type { IssuedTable } from "#db/tables/issued.ts";
import type { issuerStore } from "./issuers.store.ts";

/** How long rows wait for others before they are stored, in milliseconds. */
const gatherMs = 100;

/** The largest number of rows that wait, and that are stored at a time. */
const waitingMax = 5_000;
const batchMax = 200;

type IssuedQueue = {
  add(row: IssuedTable): void;
  /** How many rows were not stored since the start. */
  dropped(): number;
  /** Resolves when no row waits or is being stored. */
  drained(): Promise<void>;
};

export function openIssuedQueue(
  store: Pick<RemoteStore<typeof issuerStore>, "addIssued">,
  log: Logger,
): IssuedQueue {
  const waiting: IssuedTable[] = [];
  let dropped = 0;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    await Bun.sleep(gatherMs);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax);
      try {
        await store.addIssued(batch);
      } catch (error) {
        dropped += batch.length;
        log.warn({ reason: String(error), rows: batch.length }, "issuers were not stored");
      }
    }
    running = null;
  }

  return {
    add(row) {
      if (waiting.length >= waitingMax) {
        dropped += 1;
        return;
      }
      waiting.push(row);
      running ??= run();
    },
    dropped: () => dropped,
    async drained() {
      while (running !== null) await running;
    },
  };
}
