/** What the log answers about all rows that its filters match. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  type ChartMeasure,
  type ChartPart,
  exportLogs,
  exportOwnLogs,
  type LogFacet,
  type LogFacetValues,
  readLogChart,
  readLogChartByKey,
  readLogFacet,
  readLogFacetByKey,
  readLogFailures,
  readLogFailuresByKey,
  readOwnLogChart,
  readOwnLogFacet,
  readOwnLogFailures,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { call } from "#api/call.ts";
import { callEvents } from "#api/events.ts";
import { type LogInput, sentWhole } from "#features/logs/logs.api.ts";
import { type LogView, viewOf } from "#features/logs/log-view.ts";

/** While the live tail is on: milliseconds between two reads of what stands above the list. */
const liveIntervalMs = 15_000;

/** What users may not divide their own calls by. */
export function ownPart<Part extends ChartPart | LogFacet>(
  part: Part,
): Exclude<Part, "channel" | "user"> | "model" {
  // Safe cast: the two are taken out.
  return part === "channel" || part === "user"
    ? "model"
    : (part as Exclude<Part, "channel" | "user">);
}

type Asked = { readonly by: ChartPart; readonly measure: ChartMeasure };

/** Reads the chart of a list. */
export function useLogChart({ scope, filter }: LogInput, asked: Asked, live: boolean) {
  return useQuery({
    queryKey: ["log-chart", scope, filter, asked],
    queryFn: async ({ signal }) => {
      const sent = { ...sentWhole(scope, filter), ...asked };
      if (scope.kind === "all") return await call(readLogChart, sent, signal);
      if (scope.kind === "key") {
        return await call(readLogChartByKey, { ...sent, key: scope.key }, signal);
      }
      return await call(readOwnLogChart, { ...sent, by: ownPart(asked.by) }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: live ? liveIntervalMs : false,
  });
}

/** Reads the failed calls of a list by reason. */
export function useLogFailures({ scope, filter }: LogInput, live: boolean) {
  return useQuery({
    queryKey: ["log-failures", scope, filter],
    queryFn: async ({ signal }) => {
      const sent = sentWhole(scope, filter);
      if (scope.kind === "own") return await call(readOwnLogFailures, sent, signal);
      if (scope.kind === "all") return await call(readLogFailures, sent, signal);
      return await call(readLogFailuresByKey, { ...sent, key: scope.key }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: live ? liveIntervalMs : false,
  });
}

/** Reads the values of a filter that begin so, with their counts. */
export async function readFacet(
  { scope, filter }: LogInput,
  { facet, prefix }: { readonly facet: LogFacet; readonly prefix: string },
  signal: AbortSignal,
): Promise<LogFacetValues> {
  const sent = { ...sentWhole(scope, filter), facet, prefix };
  if (scope.kind === "all") return await call(readLogFacet, sent, signal);
  if (scope.kind === "key") {
    return await call(readLogFacetByKey, { ...sent, key: scope.key }, signal);
  }
  return await call(readOwnLogFacet, { ...sent, facet: ownPart(facet) }, signal);
}

export type AllRows = LogInput & {
  /** The token whose key was given: the key itself must not be in an address. */
  readonly tokenId: number | undefined;
};

type OnRows = (
  rows: readonly LogView[],
  of: { readonly total: number; readonly isCut: boolean },
) => void;

/** Reads all rows of a list, one part after the other. */
export async function readAllRows(
  { scope, filter, sort, tokenId }: AllRows,
  signal: AbortSignal,
  onRows: OnRows,
): Promise<void> {
  if (scope.kind === "own") {
    const sent = { ...sentWhole(scope, filter), sort };
    await callEvents(
      exportOwnLogs,
      sent,
      ({ rows, total, is_cut: isCut }) => onRows(rows.map(viewOf), { total, isCut }),
      signal,
    );
    return;
  }
  // A key without calls: its list is empty, and so is its file.
  if (scope.kind === "key" && tokenId === undefined) return;
  const narrow = scope.kind === "key" ? { token_id: tokenId } : {};
  await callEvents(
    exportLogs,
    { ...sentWhole({ kind: "all" }, filter), ...narrow, sort },
    ({ rows, total, is_cut: isCut }) => onRows(rows.map(viewOf), { total, isCut }),
    signal,
  );
}
