/** Makes the rows of the statistics: sorted, a page of them, and the row with the sums of all. */

import type { ChannelUse } from "@tollgate/contract/endpoints/channel-statistics.ts";

/** A row of the list; `isTotal`: it has the sums of all rows, also of those on other pages. */
export type UseRow = ChannelUse & { readonly isTotal: boolean };

/** Sorts as the address says: by a column, with a leading minus largest first. */
export function sortUse(rows: readonly ChannelUse[], sort: string): readonly ChannelUse[] {
  const name = sort.replace(/^-/, "");
  const sign = sort.startsWith("-") ? -1 : 1;
  if (name === "") return rows;
  return rows.toSorted((a, b) => sign * compare(valueOf(a, name), valueOf(b, name)));
}

function valueOf(row: ChannelUse, name: string): number | string {
  if (name === "success") return successOf(row) ?? -1;
  const value: unknown = Reflect.get(row, name);
  return typeof value === "string" ? value : Number(value ?? -1);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : 1;
  return a - b;
}

/** The share of attempts that succeeded, of those that say something about the channel. */
export function successOf({ succeeded, failed }: ChannelUse): number | null {
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed);
}

const summed = [
  "token_used",
  "count",
  "quota",
  "attempts",
  "retries",
  "succeeded",
  "failed",
  "failed_key",
  "failed_limit",
  "failed_server",
  "failed_network",
  "failed_answer",
  "broken",
] as const satisfies readonly (keyof ChannelUse)[];

export function totalOf(rows: readonly ChannelUse[]): UseRow {
  const sums = Object.fromEntries(
    summed.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]),
  );
  return {
    channel_id: 0,
    channel_name: "",
    model_name: "",
    // Times of several channels cannot be joined from their quantiles.
    first_byte_p50: null,
    first_byte_p99: null,
    // Safe cast: the object has exactly these names.
    ...(sums as Record<(typeof summed)[number], number>),
    isTotal: true,
  };
}

/** Returns one page of the rows, and below it the sums of all. */
export function pageOfUse(
  rows: readonly ChannelUse[],
  { page, size, sort }: { readonly page: number; readonly size: number; readonly sort: string },
): UseRow[] {
  if (rows.length === 0) return [];
  const shown = sortUse(rows, sort).slice((page - 1) * size, page * size);
  return [...shown.map((row) => ({ ...row, isTotal: false })), totalOf(rows)];
}

const hourSeconds = 3_600;

/** Whether a time begins and ends with an hour, as attempts are counted. The end is included. */
export function isOfWholeHours({ start, end }: { readonly start: number; readonly end: number }) {
  return start % hourSeconds === 0 && (end === 0 || (end + 1) % hourSeconds === 0);
}
