/**
 * What log rows say that are about to be removed, beside the sums that `usage_hours` keeps: it is
 * added to `cleaned_hours` in the same transaction, so that the dashboard shows the same figures
 * before and after a cleaning.
 */

import { sql } from "kysely";
import { bucketOf, firstByteBuckets } from "#canonical/attempts.ts";
import type { Db } from "#db/database.ts";
import type { CleanedHourTable } from "#db/tables/cleaned-hours.ts";
import type { LogRow } from "#modules/logs/log-fields.ts";
import { startOfHour } from "#modules/logs/log-times.ts";

const charged = 2;
const failed = 5;

/** The columns of removed rows that are kept in sums. */
export const cleanedColumns = [
  "id",
  "type",
  "created_at",
  "user_id",
  "token_id",
  "channel",
  "model_name",
  "group",
  "other",
] as const satisfies readonly (keyof LogRow)[];

export type CleanedRow = Pick<LogRow, (typeof cleanedColumns)[number]>;

/** The columns of `cleaned_hours` that hold times to the first byte, by bucket. */
export const firstByteColumns = Array.from(
  { length: firstByteBuckets },
  // Safe cast: the table has a column for each bucket.
  (_, bucket) => `first_byte_${bucket}` as Extract<keyof CleanedHourTable, `first_byte_${number}`>,
);

const countColumns = ["calls", "failures", "faults", ...firstByteColumns] as const;

/** How many rows one statement writes. */
const rowsAtOnce = 200;

/** Adds removed rows to the hours that they were in. */
export async function keepSums(tx: Db, removed: readonly CleanedRow[]): Promise<void> {
  const hours = new Map<string, CleanedHourTable>();
  for (const row of removed) {
    if (row.type !== charged && row.type !== failed) continue;
    const key = keyOf(row);
    const name = JSON.stringify(key);
    const sums = hours.get(name) ?? { ...key, ...zeros() };
    count(sums, row);
    hours.set(name, sums);
  }
  // Nodes write in the same order, so that they do not wait for each other in a circle.
  const sorted = [...hours].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
  for (let from = 0; from < sorted.length; from += rowsAtOnce) {
    await tx
      .insertInto("cleaned_hours")
      .values(sorted.slice(from, from + rowsAtOnce))
      .onConflict((conflict) =>
        conflict
          .columns(["hour", "user_id", "token_id", "channel_id", "model_name", "group"])
          .doUpdateSet(added()),
      )
      .execute();
  }
}

function keyOf({ created_at, user_id, token_id, channel, model_name, group }: CleanedRow) {
  return {
    hour: startOfHour(created_at),
    user_id,
    token_id,
    channel_id: channel,
    model_name,
    group,
  };
}

type Counts = Pick<CleanedHourTable, (typeof countColumns)[number]>;

function zeros(): Counts {
  // Safe cast: the object has exactly these names.
  return Object.fromEntries(countColumns.map((name) => [name, 0])) as Counts;
}

function count(sums: Counts, { type, other }: CleanedRow): void {
  if (type === failed) {
    sums.failures += 1;
    if (isFault(other)) sums.faults += 1;
    return;
  }
  sums.calls += 1;
  const firstByteMs = firstByteOf(other);
  if (firstByteMs === null) return;
  const column = firstByteColumns[bucketOf(firstByteMs)];
  if (column !== undefined) sums[column] += 1;
}

/** Says for each count that it is added to the row that is there. */
function added() {
  return Object.fromEntries(
    countColumns.map((column) => {
      const present = sql.ref(`cleaned_hours.${column}`);
      return [column, sql<number>`${present} + ${sql.ref(`excluded.${column}`)}`] as const;
    }),
  );
}

/**
 * Reads the time to the first byte in milliseconds from the column `other` of a log row, or from the
 * part of it that begins with the time; null: there was none.
 */
export function firstByteOf(other: string): number | null {
  const [, ms] = /"frt":(\d+(?:\.\d+)?)/.exec(other) ?? [];
  return ms === undefined ? null : Number(ms);
}

/** The type of errors that the gateway itself makes. */
const ownErrorType = "new_api_error";

/**
 * Whether a call failed for a reason that its client could not avoid: the upstream, its key or its
 * limits, or no channel. The client's faults are a wrong request, its disconnection, and that its
 * user or token may not call any more.
 *
 * @param other the column of the call's log row.
 */
export function isFault(other: string): boolean {
  const { status_code: status, error_type: type } = parseObject(other);
  if (typeof status !== "number") return true; // The call was interrupted by a restart.
  if (status >= 500 || status === 429 || status === 402) return true;
  return (status === 401 || status === 403) && type !== ownErrorType;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    // Safe cast: the fields of any object have a string as name, and are judged one by one.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
