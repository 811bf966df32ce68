/** Stores, reads and removes the texts of ended calls, in the worker that has their table. */

import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { RemoteStore } from "#db/store.ts";
import { TaskTooLong } from "#db/store-unavailable.ts";
import type { Gathered } from "./open-transcript.ts";
import type { Removal } from "./transcripts.repo.ts";
import type { EndedCall, Transcript, transcriptStore } from "./transcripts.store.ts";

/** The largest number of texts that one transaction removes. */
const removedMax = 200;

type KeptDeps = {
  readonly store: RemoteStore<typeof transcriptStore>;
  /** The key that seals the texts. */
  readonly key: Uint8Array;
  /** The largest number of bytes that are stored of each text. */
  readonly bytesMax: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

type KeptTexts = {
  /** Stores the texts of a batch. @returns how many of them are lost. */
  keep(batch: readonly Gathered[]): Promise<number>;
  read(requestId: string, createdAt: number): Promise<Transcript | null>;
  /** @returns how many texts were removed. */
  remove(removal: Removal): Promise<number>;
};

export function openKeptTexts({ store, key, bytesMax, now, log }: KeptDeps): KeptTexts {
  let prepared: Promise<void> | null = null;
  let isNoted = false;

  /** Creates the table before it is first used. */
  async function prepare(): Promise<void> {
    prepared ??= store.prepareTranscripts().catch((error: unknown) => {
      prepared = null;
      throw error;
    });
    await prepared;
  }

  /**
   * Stores texts. When they take too long together, each is stored alone, so that only those are lost
   * that take too long.
   */
  async function storeCalls(calls: readonly EndedCall[]): Promise<number> {
    try {
      return await store.keep({ calls, bytesMax: bytesMax(), key });
    } catch (error) {
      if (!(error instanceof TaskTooLong)) throw error;
      if (calls.length === 1) return 1;
    }
    let lost = 0;
    for (const call of calls) lost += await storeCalls([call]);
    return lost;
  }

  return {
    async keep(batch) {
      try {
        if (!isNoted) await store.noteKept();
        isNoted = true;
        await prepare();
        const createdAt = unixSeconds(now());
        const calls = batch.map((one) => endedCall(one, createdAt));
        const lost = await storeCalls(calls);
        if (lost > 0) log.warn({ calls: lost }, "texts of calls could not be read, and are lost");
        return lost;
      } catch (error) {
        log.error({ reason: String(error), calls: batch.length }, "texts of calls were not stored");
        throw error;
      }
    },
    async read(requestId, createdAt) {
      if (!(await store.wereKept())) return null;
      await prepare();
      return await store.readTranscript({ requestId, createdAt, key });
    },
    async remove(removal) {
      if (!(await store.wereKept())) return 0;
      await prepare();
      let removed = 0;
      for (;;) {
        const count = await store.removeTranscripts(removal, removedMax);
        removed += count;
        if (count < removedMax) return removed;
      }
    },
  };
}

function endedCall(gathered: Gathered, createdAt: number): EndedCall {
  const { requestId, userId, formatId, isStream, request, answer } = gathered;
  return { requestId, userId, createdAt, formatId, isStream, prompt: request, completion: answer };
}
