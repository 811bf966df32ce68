/** The usage log: its pages, sums, totals, receipts and cleaning. */

import { unixSeconds } from "#base/clock.ts";
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
      jobs: [...cleaner.jobs, totalsJob(store, now)],
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
