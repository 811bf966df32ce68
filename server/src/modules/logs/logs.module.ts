/** The usage log: its pages, sums, totals, receipts and cleaning. */

import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { RemoteStore } from "#db/store.ts";
import type { Job } from "#jobs/job.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { tokenKeyKind } from "#modules/tokens/tokens.ts";
import type { Transcripts } from "#modules/transcripts/transcripts.ts";
import { answerHandlers } from "./answers.handlers.ts";
import { openCallList } from "./call-list.ts";
import { openLogCleaner } from "./cleaning/log-cleaner.ts";
import { logHandlers } from "./logs.handlers.ts";
import type { logStore } from "./logs.store.ts";
import { textHandlers } from "./texts.handlers.ts";

type Needs = { readonly transcripts: Transcripts };

export const logsModule = defineModule({
  needs: ["transcripts"],
  open({
    store,
    options,
    secrets,
    clock,
    judgeKey,
    log,
    needs,
  }: Given<RemoteStore<typeof logStore>, Needs>) {
    const { now } = clock;
    const lookupOf = (key: string): string => secrets.lookup(tokenKeyKind, key);
    const cleaner = openLogCleaner({
      store,
      ...needs,
      daysKept: () => Number(options.read("LogRetentionDays")),
      now,
      log,
    });
    return {
      handlers: [
        ...logHandlers({ store, ...needs, judgeKey, lookupOf, cleaner, now }),
        ...answerHandlers({
          store,
          lookupOf,
          zone: () => options.read("TimeZone"),
          now,
          wait: async (ms) => await Bun.sleep(ms),
        }),
        ...textHandlers({ store, ...needs, readOption: options.read, now }),
      ],
      jobs: [...cleaner.jobs, totalsJob(store, now), endingsJob(store, log)],
      face: openCallList(store, now),
    };
  },
});

/** How often totals are made of hours that are over, in milliseconds. */
const totalsMs = 60_000;

/** The pause between two transactions that make totals, in milliseconds. */
const totalsPauseMs = 20;

/** Makes totals of the hourly roll-up, a few hours in each transaction. */
function totalsJob(
  store: Pick<RemoteStore<typeof logStore>, "advanceTotals">,
  now: () => number,
): Job {
  return {
    name: "usage-totals",
    everyMs: totalsMs,
    runs: "once-in-all-nodes",
    async run() {
      while (await store.advanceTotals(unixSeconds(now()))) await Bun.sleep(totalsPauseMs);
    },
  };
}

/** How often it is looked whether rows of earlier versions lack their endings, in milliseconds. */
const endingsMs = 1_000;

/**
 * How much of the log one piece looks at, and how many rows of it get their ending: some 20 ms of the
 * reader and of the writer.
 */
const endingsPiece = { ids: 2_000, rows: 250 };

/** The pause between two pieces, and how many a run does: a stop waits for a run. Milliseconds. */
const endingsPauseMs = 20;
const endingsPieces = 50;

/** Gives rows of earlier versions their endings, after an update. */
function endingsJob(
  store: Pick<RemoteStore<typeof logStore>, "findEarlierEndings" | "noteEarlierEndings">,
  log: Logger,
): Job {
  let isDone = false;
  return {
    name: "earlier-endings",
    everyMs: endingsMs,
    runs: "once-in-all-nodes",
    async run() {
      for (let pieces = 0; pieces < endingsPieces && !isDone; pieces += 1) {
        const piece = await store.findEarlierEndings(endingsPiece);
        if (piece === "later") return;
        isDone = piece === null;
        if (piece === null) return;
        await store.noteEarlierEndings(piece);
        if (piece.isLast) log.info("all log rows of earlier versions have their endings");
        await Bun.sleep(endingsPauseMs);
      }
    },
  };
}
