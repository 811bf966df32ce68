/** Removes old log rows in the background: those that root wants removed, and those too old to keep. */

import type { LogCleaning } from "@tollgate/contract/endpoints/logs.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { RemoteStore } from "#db/store.ts";
import type { Job } from "#jobs/job.ts";
import { type Actor, systemActor } from "#modules/audit/audit.ts";
import type { Transcripts } from "#modules/transcripts/transcripts.ts";
import { type KeptCleaning, orphanedMs } from "./cleaning.repo.ts";
import { daySeconds } from "#modules/logs/log-times.ts";
import type { logStore } from "#modules/logs/logs.store.ts";

/** The pause after each batch, in milliseconds, so that settlements come first. */
const pauseMs = 20;

/** How often this node looks for a cleaning that has lost its node, in milliseconds. */
const resumeMs = 10_000;

/** How often rows that are too old are looked for, in milliseconds. */
const retentionMs = 600_000;

export type LogCleaner = {
  /** Begins a cleaning, which goes on in the background. */
  start(before: number, actor: Actor): Promise<LogCleaning>;
  read(): Promise<LogCleaning>;
  stop(): Promise<LogCleaning>;
  readonly jobs: readonly Job[];
};

type CleanerDeps = {
  readonly store: RemoteStore<typeof logStore>;
  readonly transcripts: Pick<Transcripts, "removeBefore">;
  /** For how many days rows are kept; 0: for ever. */
  readonly daysKept: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

const none: LogCleaning = { state: "idle", before: 0, removed: 0, total: null, started_at: 0 };

export function openLogCleaner({
  store,
  transcripts,
  daysKept,
  now,
  log,
}: CleanerDeps): LogCleaner {
  let isRunning = false;

  /** Removes batch after batch until the cleaning has ended. */
  async function run({ before }: KeptCleaning): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      await store.noteCleaningTotal(await store.countOldLogs(before));
      let present = await store.cleanStep(now());
      while (present?.state === "running") {
        await Bun.sleep(pauseMs);
        present = await store.cleanStep(now());
      }
      if (present?.state === "done") await transcripts.removeBefore(before);
    } finally {
      isRunning = false;
    }
  }

  function runBeside(cleaning: KeptCleaning): void {
    run(cleaning).catch((error: unknown) => {
      log.warn({ error: String(error) }, "a cleaning of the log was interrupted and will go on");
    });
  }

  /** Goes on with a cleaning whose node has ended. */
  async function resume(): Promise<void> {
    const cleaning = await store.findCleaning();
    if (cleaning?.state !== "running" || now() - cleaning.beatMs < orphanedMs) return;
    await run(cleaning);
  }

  /** Removes the rows of days that are too old. */
  async function retain(): Promise<void> {
    let removed = 0;
    let before = 0;
    for (;;) {
      const days = daysKept();
      if (days === 0) break;
      // By whole days, so that it happens once a day.
      before = (Math.floor(unixSeconds(now()) / daySeconds) - days) * daySeconds;
      const batch = await store.cleanLogs(before);
      removed += batch.removed;
      if (!batch.more) break;
      await Bun.sleep(pauseMs);
    }
    if (removed === 0) return;
    await store.noteCleaning({ before, removed, actor: systemActor, nowMs: now() });
  }

  return {
    async start(before, actor) {
      const cleaning = await store.beginCleaning({ before, actor, nowMs: now() });
      runBeside(cleaning);
      return cleaning;
    },
    read: async () => (await store.findCleaning()) ?? none,
    stop: async () => (await store.stopCleaning(now())) ?? none,
    jobs: [
      {
        name: "resume-log-cleaning",
        everyMs: resumeMs,
        runs: "once-in-all-nodes",
        run: resume,
      },
      { name: "log-retention", everyMs: retentionMs, runs: "once-in-all-nodes", run: retain },
    ],
  };
}
