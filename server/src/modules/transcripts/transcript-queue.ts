/**
 * The texts that wait to be stored. They are stored in batches, one after the other, after their
 * answers have ended. When the worker cannot keep up, texts are dropped and counted; calls never
 * wait for it.
 */

import type { Gathered, HeldBytes } from "./open-transcript.ts";

/** How long texts wait for others before a batch is stored, in milliseconds. */
const gatherMs = 200;

/** The largest number of calls that wait, and that are stored at a time. */
const waitingMax = 2_000;
const batchMax = 64;
/** The largest number of bytes of a batch, unless a single call has more. */
const batchBytesMax = 4 * 1024 * 1024;

type TranscriptQueue = {
  add(gathered: Gathered | null): void;
  /** How many calls' texts were not stored since the start. */
  dropped(): number;
  /** Resolves when no text waits or is being stored. */
  drained(): Promise<void>;
};

/**
 * @param store stores a batch and returns how many of its texts are lost; if it rejects, all of the
 *   batch are.
 */
export function openTranscriptQueue(
  held: HeldBytes,
  store: (batch: readonly Gathered[]) => Promise<number>,
): TranscriptQueue {
  const waiting: Gathered[] = [];
  let dropped = 0;
  let running: Promise<void> | null = null;

  function add(gathered: Gathered | null): void {
    if (gathered === null || waiting.length >= waitingMax) {
      dropped += 1;
      held.count -= gathered?.bytes ?? 0;
      return;
    }
    waiting.push(gathered);
    running ??= run();
  }

  async function run(): Promise<void> {
    await Bun.sleep(gatherMs);
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      try {
        dropped += await store(batch);
      } catch {
        dropped += batch.length;
      }
      for (const { bytes } of batch) held.count -= bytes;
    }
    running = null;
  }

  return {
    add,
    dropped: () => dropped,
    async drained() {
      while (running !== null) await running;
    },
  };
}

function takeBatch(waiting: Gathered[]): Gathered[] {
  let count = 0;
  let bytes = 0;
  for (const gathered of waiting) {
    bytes += gathered.bytes;
    if (count > 0 && (count === batchMax || bytes > batchBytesMax)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
