/** What is removed with all disabled channels. */

import { channelStatus, searchChannels } from "@tollgate/contract/channels.ts";
import { callWhole } from "#api/call.ts";

/** The most disabled channels that are named before they are removed. */
const namedMax = 10;

/** Counts the channels that are not enabled, and reads the names of the first of them. */
export async function readDisabled(): Promise<{ names: readonly string[]; count: number }> {
  const { disabled, disabledAutomatically } = channelStatus.enum;
  const lists = await Promise.all(
    [disabled, disabledAutomatically].map((status) =>
      callWhole(searchChannels, { status, p: 0, page_size: namedMax }),
    ),
  );
  return {
    names: lists.flatMap(({ data }) => data.map(({ name }) => name)).slice(0, namedMax),
    count: lists.reduce((sum, { extras }) => sum + extras.total, 0),
  };
}
