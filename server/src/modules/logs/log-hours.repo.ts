/**
 * Reads pages of lists whose filter has no index: the roll-ups tell in which hours matching calls
 * are, and how many, so that other hours are not read.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import {
  consumption,
  hoursOf,
  isOfTotals,
  isReversed,
  isUncharged,
  type LogFilter,
  matching,
  totalsOf,
} from "./log-filter.repo.ts";
import { countRows, readRows, type Span, type Window, within } from "./log-rows.repo.ts";
import { daySeconds, hourSeconds, startOfHour } from "./log-times.ts";
import type { LogRow } from "./logs.ts";
import { coverageOf, type Stretch } from "./usage-totals.repo.ts";

/**
 * A part of the time of a list. `calls`: how many charged calls of it match; null: not known. A day
 * is divided into its hours when it has to be read.
 */
type Piece = { readonly kind: "day" | "hour" | "span" } & Span & { readonly calls: number | null };

/**
 * Reads a page for a filter that has no index: first from the newest rows, then from those older
 * hours in which the roll-ups have matching calls. If nothing matches, only the newest rows are
 * read, however long the log is.
 *
 * @param since the time after which the newest rows are. Unix seconds.
 */
export async function readByHours(
  db: Db,
  filter: LogFilter,
  { offset, limit }: Window,
  since: number,
): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  let skip = offset;

  async function read(piece: Piece): Promise<void> {
    const part = within(filter, piece);
    const total = skip > 0 && piece.calls !== null ? await totalOf(db, part, piece.calls) : null;
    if (total !== null && total <= skip) {
      skip -= total;
      return;
    }
    if (piece.kind === "day") {
      for (const hour of await hoursOfDay(db, filter, piece)) {
        if (rows.length < limit) await read(hour);
      }
      return;
    }
    const found = await readRows(db, part, { offset: skip, limit: limit - rows.length });
    rows.push(...found);
    if (found.length > 0) skip = 0;
    else if (skip > 0) skip -= Math.min(skip, await countRows(db, matching(db, part)));
  }

  await read({ kind: "span", start: since, end: 0, calls: null });
  const pieces = rows.length < limit ? await piecesBefore(db, filter, since) : [];
  for (const piece of pieces) {
    if (rows.length === limit) break;
    await read(piece);
  }
  return rows;
}

/** Counts all matching rows of a part, of which the number of charged calls is known. */
async function totalOf(db: Db, part: LogFilter, calls: number): Promise<number> {
  // Calls whose charge was given back are listed, but the roll-ups do not have them any more.
  const reversed = await countRows(db, matching(db, part).where(isReversed));
  const others =
    part.type === consumption ? 0 : await countRows(db, matching(db, part).where(isUncharged));
  return calls + reversed + others;
}

/** Finds the parts of the time before `before` in which the filter may have rows, newest first. */
async function piecesBefore(db: Db, filter: LogFilter, before: number): Promise<readonly Piece[]> {
  const wanted = within(filter, { start: 0, end: before - 1 });
  const uncharged = await unchargedHours(db, wanted);
  return isOfTotals(filter)
    ? await piecesOfTotals(db, wanted, uncharged)
    : await spansOfHours(db, wanted, uncharged);
}

/** Finds the hours that have matching rows that are not charged calls. */
async function unchargedHours(db: Db, wanted: LogFilter): Promise<number[]> {
  if (wanted.type === consumption) return [];
  const rows = await matching(db, wanted)
    .where(isUncharged)
    .select(sql<number>`created_at - created_at % ${sql.lit(hourSeconds)}`.as("hour"))
    .distinct()
    .execute();
  return rows.map(({ hour }) => hour);
}

/** Finds the pieces by the totals without users and tokens: days, and hours at the ends. */
async function piecesOfTotals(
  db: Db,
  wanted: LogFilter,
  uncharged: readonly number[],
): Promise<Piece[]> {
  const oldest = await db
    .selectFrom("logs")
    .select("created_at")
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return [];
  // A cleaning may have removed a part of the oldest hour, so its number of calls is not known.
  const start = Math.max(wanted.start, oldest.created_at);
  const whole = { start: startOfHour(start) + hourSeconds, end: startOfHour(wanted.end + 1) };
  if (whole.start >= whole.end) return [{ kind: "span", start, end: wanted.end, calls: null }];
  const found = await countPieces(db, wanted, whole);
  for (const hour of uncharged) {
    const isIn = found.some((piece) => piece.start <= hour && hour <= piece.end);
    if (!isIn && hour >= whole.start && hour < whole.end) found.push(hourPiece(hour, 0));
  }
  const ends: Piece[] = [
    { kind: "span", start, end: whole.start - 1, calls: null },
    { kind: "span", start: whole.end, end: wanted.end, calls: null },
  ];
  return [...found, ...ends.filter((piece) => piece.start <= piece.end)].toSorted(newestPiece);
}

async function countPieces(db: Db, wanted: LogFilter, whole: Stretch): Promise<Piece[]> {
  const { days, hours, rest } = await coverageOf(db, whole);
  const pieces: Piece[] = [];
  for (const { start, end } of days) {
    const counted = await countTotals(db, wanted, daySeconds, { start, end });
    for (const day of counted) {
      const piece = { start: day.start, end: day.start + daySeconds - 1, calls: day.calls };
      pieces.push({ kind: "day", ...piece });
    }
  }
  for (const { start, end } of hours) {
    const counted = await countTotals(db, wanted, hourSeconds, { start, end });
    for (const hour of counted) pieces.push(hourPiece(hour.start, hour.calls));
  }
  for (const { start, end } of rest) {
    const counted = await hoursOf(db, wanted)
      .where("hour", ">=", start)
      .where("hour", "<", end)
      .select(["hour", sql<number>`sum(request_count)`.as("calls")])
      .groupBy("hour")
      .execute();
    for (const { hour, calls } of counted) pieces.push(hourPiece(hour, calls));
  }
  return pieces;
}

async function countTotals(
  db: Db,
  filter: LogFilter,
  span: number,
  { start, end }: Stretch,
): Promise<{ start: number; calls: number }[]> {
  return await totalsOf(db, filter, span)
    .where("start", ">=", start)
    .where("start", "<", end)
    .select(["start", sql<number>`sum(request_count)`.as("calls")])
    .groupBy("start")
    .execute();
}

/** Divides a day into those of its hours that have matching rows, newest first. */
async function hoursOfDay(db: Db, filter: LogFilter, { start, end }: Piece): Promise<Piece[]> {
  const counted = await countTotals(db, filter, hourSeconds, { start, end });
  const pieces = counted.map((hour) => hourPiece(hour.start, hour.calls));
  const known = new Set(counted.map((hour) => hour.start));
  for (const hour of await unchargedHours(db, within(filter, { start, end }))) {
    if (!known.has(hour)) pieces.push(hourPiece(hour, 0));
  }
  return pieces.toSorted(newestPiece);
}

function hourPiece(hour: number, calls: number): Piece {
  return { kind: "hour", start: hour, end: hour + hourSeconds - 1, calls };
}

function newestPiece(a: Piece, b: Piece): number {
  return b.start - a.start;
}

/**
 * The largest number of time spans that a list reads with one query each. More queries would take
 * longer than reading some hours without a match.
 */
const spansMax = 200;

/** Finds spans by the hourly roll-up, at most `spansMax`, newest first. */
async function spansOfHours(
  db: Db,
  wanted: LogFilter,
  uncharged: readonly number[],
): Promise<Piece[]> {
  const charged = await hoursOf(db, wanted)
    .where("hour", ">=", startOfHour(wanted.start))
    .where("hour", "<=", wanted.end)
    .select("hour")
    .distinct()
    .execute();
  const hours = new Set([...charged.map(({ hour }) => hour), ...uncharged]);
  const newestFirst = [...hours].toSorted((a, b) => b - a);
  let gap = hourSeconds;
  let spans = join(newestFirst, gap);
  while (spans.length > spansMax) {
    gap *= 2;
    spans = join(newestFirst, gap);
  }
  return spans.map(({ start, end }) => ({
    kind: "span",
    start,
    end: Math.min(end, wanted.end),
    calls: null,
  }));
}

/** Joins hours into spans: hours that are at most `gap` seconds apart become one span. */
function join(hours: readonly number[], gap: number): Span[] {
  const spans: { start: number; readonly end: number }[] = [];
  for (const hour of hours) {
    const last = spans.at(-1);
    if (last !== undefined && last.start - hour <= gap) last.start = hour;
    else spans.push({ start: hour, end: hour + hourSeconds - 1 });
  }
  return spans;
}
