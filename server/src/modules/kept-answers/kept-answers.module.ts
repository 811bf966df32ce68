/** Answers of the Responses API that the gateway keeps for their users, sealed. */

import { dayOf, unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { Removal } from "./kept-answers.repo.ts";
import type { keptAnswerStore } from "./kept-answers.store.ts";
import { openKeptQueue } from "./kept-queue.ts";
import type { KeptAnswers } from "./kept-answers.ts";

/** How many answers are kept of each user; then the oldest go. */
const answersOfUserMax = 2_000;

/** The largest number of answers that one transaction removes. */
const removedMax = 200;

/** How often old answers, and those of removed users, are removed, in milliseconds. */
const cleaningMs = 60_000;

/**
 * Users who were removed in this time before a cleaning are looked up again, because their last
 * calls may have ended after them. Milliseconds.
 */
const removedLatelyMs = 3_600_000;

export const keptAnswersModule = defineModule({
  needs: [],
  open({ store, options, secrets, clock, log }: Given<RemoteStore<typeof keptAnswerStore>>) {
    const key = secrets.derive("kept-answers");
    let prepared: Promise<void> | null = null;
    const firstDay = (): number =>
      dayOf(unixSeconds(clock.now())) - options.read("ResponsesStoreDays");

    /** Creates the table before it is first used. */
    async function prepare(): Promise<void> {
      prepared ??= store.prepareAnswers().catch((error: unknown) => {
        prepared = null;
        throw error;
      });
      await prepared;
    }

    const queue = openKeptQueue(log, async (answers) => {
      await store.noteAnswersKept();
      await prepare();
      await store.keepAnswers({ answers, nowMs: clock.now(), countMax: answersOfUserMax, key });
    });

    async function remove(removal: Removal): Promise<number> {
      if (!(await store.wereAnswersKept())) return 0;
      await prepare();
      let removed = 0;
      for (;;) {
        const count = await store.removeAnswers(removal, removedMax);
        removed += count;
        if (count < removedMax) return removed;
      }
    }

    const face: KeptAnswers = {
      drained: queue.drained,
      async find(id, userId) {
        const waiting = queue.find(id, userId);
        if (waiting !== undefined) return waiting;
        if (!(await store.wereAnswersKept())) return null;
        await prepare();
        return await store.findKeptAnswer({ id, userId, key }, firstDay());
      },
      keep: queue.add,
      async remove(id, userId) {
        await queue.drained();
        return (await remove({ kind: "one", id, userId })) > 0;
      },
      async forgetUsers(ids) {
        if (ids.length > 0) await remove({ kind: "users", ids });
      },
    };

    return {
      jobs: [
        {
          name: "clean-kept-answers",
          everyMs: cleaningMs,
          // Each node may clean: what one has removed, the others do not find any more.
          runs: "every-node" as const,
          async run() {
            if (!(await store.wereAnswersKept())) return;
            const isOff = options.read("ResponsesStoreDays") === 0;
            // When it is off, nothing stays, not even of the present day.
            await remove({ kind: "days", before: isOff ? firstDay() + 1 : firstDay() });
            const since = new Date(clock.now() - removedLatelyMs).toISOString();
            await face.forgetUsers(await store.listRemovedUsers(since));
          },
        },
      ],
      metrics: [
        {
          name: "tollgate_kept_answers_dropped",
          help: "Answers that should be kept and were not, because they were too many or too long.",
          read: queue.dropped,
        },
      ],
      face,
    };
  },
});
