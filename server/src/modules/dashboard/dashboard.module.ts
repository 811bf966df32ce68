/** Sums of charges for the dashboard, and the state of each group. */

import { offerSources } from "#modules/groups/groups.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { dashboardHandlers } from "./dashboard.handlers.ts";
import type { DashboardStore } from "./dashboard.store.ts";

export const dashboardModule = defineModule({
  needs: [],
  open: ({ store, options, snapshot, clock }: Given<DashboardStore>) => ({
    handlers: dashboardHandlers({
      store,
      offers: offerSources({ options, snapshot }),
      zone: () => options.read("TimeZone"),
      refreshMinutes: () => options.read("DataExportInterval"),
      now: clock.now,
    }),
  }),
});
