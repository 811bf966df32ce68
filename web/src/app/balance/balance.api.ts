import { queryOptions } from "@tanstack/react-query";
import { readOwnLogStat } from "@tollgate/contract/endpoints/logs.ts";
import { readSelf } from "@tollgate/contract/endpoints/users.ts";
import { call } from "#api/call.ts";

/** Milliseconds after which the figures are read again while the page is visible. */
const refreshMs = 60_000;

/**
 * The query's key begins with that of the account (`self`), so whatever invalidates the account
 * also reads the balance again.
 */
export const balanceQuery = queryOptions({
  queryKey: ["self", "balance"],
  queryFn: async ({ signal }) => (await call(readSelf, {}, signal)).quota,
  refetchInterval: refreshMs,
});

/**
 * What the user's calls cost today, in quota units. The day begins at midnight in the browser's
 * time zone.
 */
export const spentTodayQuery = queryOptions({
  queryKey: ["self", "spent-today"],
  queryFn: async ({ signal }) => {
    const midnight = new Date().setHours(0, 0, 0, 0);
    const start_timestamp = Math.floor(midnight / 1_000);
    return (await call(readOwnLogStat, { start_timestamp }, signal)).quota;
  },
  refetchInterval: refreshMs,
});
