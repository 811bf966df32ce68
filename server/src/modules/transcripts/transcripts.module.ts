/** The texts of calls, cleaned and sealed; off unless root turns them on. */

import { dayOf, unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { openKeptTexts } from "./kept-texts.ts";
import { type HeldBytes, openTranscript } from "./open-transcript.ts";
import { openTranscriptQueue } from "./transcript-queue.ts";
import type { transcriptStore } from "./transcripts.store.ts";
import { daysKept, type Transcripts } from "./transcripts.ts";

/** How often old texts, and those of removed users, are removed, in milliseconds. */
const cleaningMs = 60_000;

/**
 * Users who were removed in this time before a cleaning are looked up again, because their last
 * calls may have ended after them. Milliseconds.
 */
const removedLatelyMs = 3_600_000;

export const transcriptsModule = defineModule({
  needs: [],
  open({ store, options, secrets, clock, log }: Given<RemoteStore<typeof transcriptStore>>) {
    const { now } = clock;
    const kept = openKeptTexts({
      store,
      key: secrets.derive("transcripts"),
      bytesMax: () => options.read("LogContentMaxBytes"),
      now,
      log,
    });
    const held: HeldBytes = { count: 0 };
    const queue = openTranscriptQueue(held, kept.keep);
    const days = (): number =>
      daysKept(options.read("LogContentDays"), Number(options.read("LogRetentionDays")));
    const face: Transcripts = {
      open: () =>
        openTranscript(held, (gathered) => {
          // Root may have turned the texts off while the call was running.
          if (options.read("LogContentEnabled")) queue.add(gathered);
          else held.count -= gathered?.bytes ?? 0;
        }),
      days,
      dropped: queue.dropped,
      drained: queue.drained,
      read: kept.read,
      removeBefore: async (before) => await kept.remove({ kind: "before", before }),
      async removeAll() {
        await queue.drained();
        return await kept.remove({ kind: "all" });
      },
      async forgetUsers(ids) {
        if (ids.length > 0) await kept.remove({ kind: "users", ids });
      },
    };

    async function clean(): Promise<void> {
      if (!(await store.wereKept())) return;
      await kept.remove({ kind: "days", before: dayOf(unixSeconds(now())) - days() });
      const since = new Date(now() - removedLatelyMs).toISOString();
      await face.forgetUsers(await store.listRemovedUsers(since));
    }

    return {
      // Each node may clean: what one has removed, the others do not find any more.
      jobs: [
        {
          name: "clean-transcripts",
          everyMs: cleaningMs,
          runs: "every-node" as const,
          run: clean,
        },
      ],
      metrics: [
        {
          name: "tollgate_transcripts_dropped",
          help: "Calls whose texts were not stored, because this node could not keep up.",
          read: queue.dropped,
        },
      ],
      face,
    };
  },
});
