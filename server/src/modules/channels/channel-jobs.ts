/** Tests channels and reads their balances as often as the options say. */

import { unixSeconds } from "#base/clock.ts";
import type { Job } from "#jobs/job.ts";
import type { ChannelBalances } from "./channel-balances.ts";
import type { ChannelTester } from "./channel-tests.ts";
import type { RoundKind } from "./rounds.repo.ts";

/** How often is looked for channels whose time has come, in milliseconds. */
const lookMs = 60_000;

/**
 * How much later than the look that started it a test may have begun, and still be old enough for
 * the look after the chosen time.
 */
const lateSeconds = 30;

export function channelJobs(deps: {
  readonly tester: Pick<ChannelTester, "startDue">;
  readonly balances: Pick<ChannelBalances, "startDue">;
  /** Claims a round for this node; false: another node has begun one since `everyMs`. */
  readonly claimDue: (kind: RoundKind, everyMs: number) => Promise<boolean>;
  /** Minutes between two tests of a channel, or between two reads of its balance; 0: never. */
  readonly minutesOf: (option: "ChannelBalanceMinutes" | "ChannelTestMinutes") => number;
  /** Unix milliseconds. */
  readonly now: () => number;
}): Job[] {
  const look = async (
    kind: RoundKind,
    minutes: number,
    startDue: (before: number) => void,
  ): Promise<void> => {
    if (minutes === 0 || !(await deps.claimDue(kind, minutes * 60_000))) return;
    startDue(unixSeconds(deps.now()) - minutes * 60 + lateSeconds);
  };
  return [
    {
      name: "channel-tests",
      everyMs: lookMs,
      runs: "once-in-all-nodes",
      run: async () =>
        await look("tests", deps.minutesOf("ChannelTestMinutes"), deps.tester.startDue),
    },
    {
      name: "channel-balances",
      everyMs: lookMs,
      runs: "once-in-all-nodes",
      run: async () =>
        await look("balances", deps.minutesOf("ChannelBalanceMinutes"), deps.balances.startDue),
    },
  ];
}
