/** The API calls of the playground: the user's groups and models, and the cost of a call. */

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { listOwnGroups } from "@tollgate/contract/endpoints/groups.ts";
import { listOwnLogs } from "@tollgate/contract/endpoints/logs.ts";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import { call } from "#api/call.ts";
import { startOf } from "#widgets/server/request-time.ts";
import type { AnswerCharge } from "./conversation.ts";

const groupsQuery = queryOptions({
  queryKey: ["playground", "groups"],
  queryFn: ({ signal }) => call(listOwnGroups, {}, signal),
});

/** Reads the groups that the user may use, keyed by name. */
export function useGroups() {
  return useQuery(groupsQuery);
}

/**
 * Reads the names of the models that can be called in a group. With `group` null nothing is read
 * yet.
 */
export function useModels(group: string | null) {
  return useQuery({
    queryKey: ["playground", "models", group],
    queryFn: ({ signal }) => call(listOwnModels, { group: group ?? "" }, signal),
    enabled: group !== null,
    // The models of the previous group stay visible until those of the new one are read.
    placeholderData: keepPreviousData,
  });
}

/**
 * Milliseconds between attempts to read the cost of a stopped answer: the server reads the rest of
 * the upstream's stream for a while before it charges the call, usually for five seconds.
 */
const lateWaitsMs = [500, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 2_000, 4_000, 8_000];

/**
 * Reads the cost of a call from its log row. The row of a complete answer is written before the
 * answer's last byte. `isLate`: the answer was broken off, so its row comes later, and is asked for
 * several times. Null: there is no row, or it cannot be read. Never rejects.
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
