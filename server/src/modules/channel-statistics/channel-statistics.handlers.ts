import { listChannelUse } from "@tollgate/contract/endpoints/channel-statistics.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { channelStatisticsStore } from "./channel-statistics.store.ts";

/** The end of a time without one: beyond all seconds, and at the end of an hour. */
const endless = Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % 3_600);

/** Handles the request of the console API for the statistics of channels. */
export function channelStatisticsHandlers(
  store: RemoteStore<typeof channelStatisticsStore>,
): Handler[] {
  return [
    handle(listChannelUse, async (input) => {
      const { start_timestamp: start = 0, end_timestamp: end = 0, channel_id = 0 } = input;
      return await store.readChannelUse({
        start,
        end: end === 0 ? endless : Math.min(end + 1, endless),
        modelName: input.model_name,
        channelId: channel_id,
        merge: input.merge,
      });
    }),
  ];
}
