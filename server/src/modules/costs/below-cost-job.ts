/**
 * Tells root of calls that are sold below cost: for each channel the model that has lost the most
 * within a day, from the roll-ups, beside the calls themselves.
 */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import type { Job } from "#jobs/job.ts";
import type { ChannelNotices } from "#modules/notifications/notifications.ts";
import type { costStore } from "./costs.store.ts";

type BelowCostDeps = {
  readonly store: RemoteStore<typeof costStore>;
  readonly notices: Pick<ChannelNotices, "belowCost">;
  readonly prices: () => PriceList;
  /** The value in force of option `BelowCostRemindThreshold`, in US dollars; 0: nobody is told. */
  readonly threshold: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const everyMs = 60_000;

/** The hours that are summed, the present one included. */
const hours = 24;

/** The same notice goes out once in all nodes, because the notifications claim it. */
export function belowCostJob(deps: BelowCostDeps): Job {
  const run = async () => await tellLosses(deps);
  return { name: "below-cost", everyMs, runs: "once-in-all-nodes", run };
}

export async function tellLosses(deps: BelowCostDeps): Promise<void> {
  const dollars = deps.threshold();
  if (dollars <= 0) return;
  const present = unixSeconds(deps.now());
  const end = present - (present % hourSeconds) + hourSeconds;
  const least = Math.max(1, dollars * Number(deps.prices().QuotaPerUnit));
  const span = { start: end - hours * hourSeconds, end };
  for (const loss of await deps.store.listChannelLosses(span, least)) {
    await deps.notices.belowCost(loss);
  }
}
