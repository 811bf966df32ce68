/** The playground's calls: groups, models, and the cost of a call. */

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { listOwnGroups } from "@tollgate/contract/groups.ts";
import { listOwnLogs } from "@tollgate/contract/logs.ts";
import { listOwnModels } from "@tollgate/contract/models.ts";
import { call } from "#api/call.ts";
import type { AnswerCharge } from "./conversation.ts";

const groupsQuery = queryOptions({
  queryKey: ["playground", "groups"],
  queryFn: ({ signal }) => call(listOwnGroups, {}, signal),
});

/** The groups that the user may use, by name. */
export function useGroups() {
  return useQuery(groupsQuery);
}

/** Names of the models for which a group has a channel. `group` null: not known yet. */
export function useModels(group: string | null) {
  return useQuery({
    queryKey: ["playground", "models", group],
    queryFn: ({ signal }) => call(listOwnModels, { group: group ?? "" }, signal),
    enabled: group !== null,
    // The old models stay visible until those of the new group are read.
    placeholderData: keepPreviousData,
  });
}

/** The server reads a cancelled stream on for a while before it bills it. */
const lateWaitsMs = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * The cost from the call's log row, which is written before the last byte of a whole answer; null:
 * there is no row, or it cannot be read. Never rejects.
 */
export async function readCharge(requestId: string, isLate: boolean): Promise<AnswerCharge | null> {
  const start_timestamp = startOf(requestId);
  if (start_timestamp === null) return null;
  for (const waitMs of isLate ? lateWaitsMs : [0]) {
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    try {
      const input = { request_id: requestId, start_timestamp, p: 1, page_size: 10 };
      const { items } = await call(listOwnLogs, input);
      const [row] = items;
      if (row === undefined) continue;
      return { quota: row.quota, input: row.prompt_tokens, output: row.completion_tokens };
    } catch {
      return null;
    }
  }
  return null;
}

/**
 * The second of a request by the server's clock: its id begins with the time in UTC. With it the
 * server need not search the whole log. Null: the text is none of our ids.
 */
export function startOf(requestId: string): number | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{3}/.exec(requestId) ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? null : atMs / 1_000;
}
