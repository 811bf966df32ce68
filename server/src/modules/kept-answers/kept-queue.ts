/**
 * The answers that wait to be stored, one batch after the other, after they have ended. When the
 * worker cannot keep up, answers are dropped and counted; calls never wait for it.
 */

import type { Logger } from "#base/logger.ts";
import type { KeptAnswer, ToKeep } from "./kept-answers.ts";

/** The largest number of bytes of an input and its answer together; longer ones are not kept. */
const answerBytesMax = 4 * 1024 * 1024;

/** The largest number of answers that wait to be stored, and of their bytes. */
const waitingMax = 1_000;
const waitingBytesMax = 64 * 1024 * 1024;

/** The largest number of answers that one transaction stores. */
const batchMax = 16;

type KeptQueue = {
  add(kept: ToKeep): void;
  /** Finds an answer that waits. */
  find(id: string, userId: number): KeptAnswer | undefined;
  /** How many answers were not stored since the start. */
  dropped(): number;
  /** Resolves when no answer waits or is being stored. */
  drained(): Promise<void>;
};

/** @param store stores a batch; if it rejects, the answers of the batch are dropped. */
export function openKeptQueue(
  log: Logger,
  store: (batch: readonly ToKeep[]) => Promise<void>,
): KeptQueue {
  const waiting = new Map<string, ToKeep>();
  let waitingBytes = 0;
  let dropped = 0;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, batchMax);
      try {
        await store(batch);
      } catch (error) {
        dropped += batch.length;
        log.error({ reason: String(error), answers: batch.length }, "answers were not kept");
      }
      for (const kept of batch) {
        waiting.delete(nameOf(kept.id, kept.userId));
        waitingBytes -= bytesOf(kept);
      }
    }
    running = null;
  }

  return {
    add(kept) {
      const name = nameOf(kept.id, kept.userId);
      const bytes = bytesOf(kept);
      const isTooMuch = bytes > answerBytesMax || waitingBytes + bytes > waitingBytesMax;
      if (isTooMuch || waiting.size >= waitingMax || waiting.has(name)) {
        dropped += 1;
        return;
      }
      waiting.set(name, kept);
      waitingBytes += bytes;
      running ??= run();
    },
    find(id, userId) {
      const kept = waiting.get(nameOf(id, userId));
      if (kept === undefined) return undefined;
      const decoder = new TextDecoder();
      return { input: decoder.decode(kept.input), answer: decoder.decode(kept.answer) };
    },
    dropped: () => dropped,
    async drained() {
      while (running !== null) await running;
    },
  };
}

function nameOf(id: string, userId: number): string {
  return `${userId} ${id}`;
}

function bytesOf({ input, answer }: ToKeep): number {
  return input.length + answer.length;
}
