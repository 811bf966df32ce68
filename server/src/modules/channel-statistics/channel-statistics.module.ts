/** What was charged through each channel, and how its attempts ended. */

import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { channelStatisticsHandlers } from "./channel-statistics.handlers.ts";
import type { channelStatisticsStore } from "./channel-statistics.store.ts";

export const channelStatisticsModule = defineModule({
  needs: [],
  open: ({ store }: Given<RemoteStore<typeof channelStatisticsStore>>) => ({
    handlers: channelStatisticsHandlers(store),
  }),
});
