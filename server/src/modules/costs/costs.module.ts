/** What channels charge, and what is left of each charge; for root alone. */

import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { ChannelNotices } from "#modules/notifications/notifications.ts";
import { belowCostJob } from "./below-cost-job.ts";
import { costHandlers } from "./costs.handlers.ts";
import type { costStore } from "./costs.store.ts";
import type { ReadCatalogue } from "./listed-costs.ts";
import { marginHandlers } from "./margins.handlers.ts";
import { refreshJob } from "./refresh-job.ts";

type Needs = {
  readonly notifications: Pick<ChannelNotices, "belowCost">;
  readonly pricing: { readonly catalogue: ReadCatalogue };
};

export const costsModule = defineModule({
  needs: ["notifications", "pricing"],
  open(given: Given<RemoteStore<typeof costStore>, Needs>) {
    const { store, snapshot, options, applyChanges, clock } = given;
    const { notifications: notices, pricing } = given.needs;
    const { catalogue } = pricing;
    const threshold = () => options.read("BelowCostRemindThreshold");
    const prices = () => snapshot.prices.list;
    const deps = { store, catalogue, prices, applyChanges, now: clock.now };
    const zone = () => options.read("TimeZone");
    return {
      handlers: [...costHandlers(deps), ...marginHandlers({ store, zone, now: clock.now })],
      jobs: [refreshJob(deps), belowCostJob({ ...deps, notices, threshold })],
    };
  },
});
