/** Lists a user's charged calls for other modules. */

import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { unixSeconds } from "#base/clock.ts";
import type { RemoteStore } from "#db/store.ts";
import type { LogFilter } from "./log-filter.repo.ts";
import type { CallList, LogRow } from "./logs.ts";
import type { logStore } from "./logs.store.ts";

const charged: Omit<LogFilter, "userId"> = {
  username: "",
  lookup: null,
  tokenName: "",
  tokenId: 0,
  modelName: "",
  type: logType.enum.consumption,
  start: 0,
  end: 0,
  channel: 0,
  group: "",
  afterId: 0,
  requestId: "",
  usageSource: "",
  quotaMin: 0,
};

/** @param now Unix milliseconds. */
export function openCallList(store: RemoteStore<typeof logStore>, now: () => number): CallList {
  const read = async (filter: LogFilter, page_size: number): Promise<readonly LogRow[]> => {
    const found = await store.pageLogs(filter, { page: 1, page_size }, unixSeconds(now()));
    return found.items;
  };
  return {
    newest: async (userId, count) => await read({ ...charged, userId }, count),
    async find(userId, requestId) {
      // The column of request ids has no index, so the search begins at the time in the id.
      const start = startOf(requestId);
      if (start === null) return null;
      const [row] = await read({ ...charged, userId, requestId, start }, 1);
      const charge = row === undefined ? null : await store.findCharge(row.id, userId);
      return row === undefined || charge === null ? null : { row, charge };
    },
  };
}

/** The time at which a call began, in Unix seconds: request ids begin with it. */
function startOf(requestId: string): number | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{3}/.exec(requestId) ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? null : unixSeconds(atMs);
}
