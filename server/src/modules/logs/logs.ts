/**
 * The only code that inserts rows into the usage log. The ledger inserts the row of a charged call
 * in the transaction that settles the call, and stores the row's hash in its entry: so rows that
 * are altered or added later are detected. Other modules add rows with `insertLog`.
 */

import type { LogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { sql } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { whole } from "#db/dialect.ts";
import { inOrder } from "#db/pipeline.ts";
import { insertRows, insertText, intoText, preparedOf } from "#db/prepared.ts";
import { appendAudit, noteRow, type RowState, systemActor } from "#modules/audit/audit.ts";
import { dropEndings, noteEndings } from "./answers/ending-hours.repo.ts";
import { endingOf } from "./answers/ending.ts";
import { noteTags, type TaggedRow } from "./answers/tags.repo.ts";
import { sumByChannel } from "./channel-sums.repo.ts";
import { firstByteColumns, firstByteOf, isFault } from "./cleaning/cleaned-hours.repo.ts";
import {
  blankRow,
  callFacts,
  type CallLogRow,
  insertedColumns,
  type LaterColumn,
  type LogRow,
  type RowCharge,
  rowOf,
  textColumns,
  valuesOf,
} from "./log-fields.ts";
import { hashRow } from "./log-hash.ts";
import { blockSeconds } from "./log-times.ts";
import { coverageOf, readTotalsUntil } from "./usage-totals.repo.ts";

export {
  blankRow,
  blockSeconds,
  callFacts,
  coverageOf,
  endingOf,
  firstByteColumns,
  firstByteOf,
  isFault,
  readTotalsUntil,
  rowOf,
  sumByChannel,
};
export { raiseLogWatermark, readLogWatermark } from "./log-watermark.ts";
export { markStale, takeStaleHours } from "./cleaning/stale-hours.ts";
export type { CallLogRow, LogRow, RowCharge };

/** What other modules read of a user's charged calls. */
export type CallList = {
  /** The newest rows of a user's charged calls, newest first. */
  readonly newest: (userId: number, count: number) => Promise<readonly LogRow[]>;
  /** The row of one charged call of the user, and what its charge was computed from. */
  readonly find: (
    userId: number,
    requestId: string,
  ) => Promise<{ readonly row: LogRow; readonly charge: LogCharge } | null>;
};

/**
 * The largest number of rows that one statement inserts, so that it keeps within the databases'
 * limits of bound values.
 */
const insertMax = 500;

/**
 * Inserts rows of calls.
 *
 * @returns the id and request id of each row, in no particular order.
 */
export async function insertCallLogs(
  tx: Db,
  rows: readonly CallLogRow[],
): Promise<{ id: number; request_id: string }[]> {
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    const inserted = rows.map((row) => {
      const { lastInsertRowid } = prepared.run(logText, storedValues(storable(row)));
      return { id: Number(lastInsertRowid), request_id: row.request_id };
    });
    await noteBeside(tx, withIds(rows, inserted));
    return inserted;
  }
  const inserted: { id: number; request_id: string }[] = [];
  for (let start = 0; start < rows.length; start += insertMax) {
    const part = rows.slice(start, start + insertMax).map(storable);
    const ids = await tx
      .insertInto("logs")
      .values(part.map(({ tags: _, ...row }) => ({ ...row, ending: endingOf(row) })))
      .returning(["id", "request_id"])
      .execute();
    inserted.push(...ids);
  }
  await noteBeside(tx, withIds(rows, inserted));
  return inserted;
}

/** Notes what tables beside the log have of rows. */
async function noteBeside(tx: Db, rows: readonly NumberedRow[]): Promise<void> {
  await noteEndings(tx, rows);
  await noteTags(tx, rows.flatMap(taggedOf));
}

type NumberedRow = CallLogRow & { readonly id: number };

/** Returns a row with its tags; none: it has no tags. */
function taggedOf({ tags, ...row }: NumberedRow): readonly TaggedRow[] {
  return tags === undefined || tags.length === 0 ? [] : [{ ...row, tags }];
}

/** Returns the rows with the ids that they got. */
function withIds(
  rows: readonly CallLogRow[],
  inserted: readonly { readonly id: number; readonly request_id: string }[],
): NumberedRow[] {
  const ids = new Map(inserted.map(({ id, request_id }) => [request_id, id]));
  return rows.flatMap((row) => {
    if (row.type !== failed && row.type !== charged) return [];
    return [{ ...storable(row), id: ids.get(row.request_id) ?? 0 }];
  });
}

const charged = 2;
const failed = 5;

/** The values of a row in the order of `logText`. */
function storedValues(row: CallLogRow): (number | string | null)[] {
  const values = valuesOf(row);
  values.push(endingOf(row));
  return values;
}

/** An inserted row as the ledger entry of its call stores it. */
export type HashedLog = {
  readonly id: number;
  /** See `logHash`. */
  readonly hash: string;
};

/** Reserves ids for rows that `insertHashedLogs` inserts on PostgreSQL. */
export async function reserveLogIds(tx: Db, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx
    .selectFrom(sql`generate_series(1, ${sql.lit(count)})`.as("numbers"))
    .select(sql<number>`nextval(pg_get_serial_sequence('logs', 'id'))`.as("id"))
    .execute();
  return rows.map(({ id }) => id);
}

type HashedLogs = {
  /** By request id. */
  readonly hashed: ReadonlyMap<string, HashedLog>;
  /** Inserts the rows where `hashed` needs no answer of the database; elsewhere it is done. */
  readonly insert: () => Promise<unknown>;
};

/**
 * Inserts log rows of calls, at most one a call, and computes the hash by which the ledger's entry
 * of the call proves its row.
 *
 * @param ids at least one for each row, from `reserveLogIds`: with them the hashes are known before
 * PostgreSQL has answered. SQLite gives the rows other ids.
 */
export function insertHashedLogs(
  tx: Db,
  rows: readonly CallLogRow[],
  ids: readonly number[],
): HashedLogs {
  const hashed = new Map<string, HashedLog>();
  const prepared = preparedOf(tx);
  const numbered: (readonly unknown[])[] = [];
  const ended: NumberedRow[] = [];
  const tagged: TaggedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const stored = storable(row);
    const values = storedValues(stored);
    const id =
      prepared === undefined ? ids[index] : Number(prepared.run(logText, values).lastInsertRowid);
    if (id === undefined) throw new Error("a log row has no id");
    hashed.set(row.request_id, { id, hash: hashRow(stored, id) });
    if (values.at(-1) !== "") ended.push({ ...stored, id });
    if (stored.tags !== undefined) tagged.push(...taggedOf({ ...stored, id }));
    if (prepared === undefined) numbered.push([id, ...values]);
  }
  const insert = async (): Promise<void> => {
    await inOrder(tx, [
      async () => await insertRows(tx, intoLogs, numbered),
      async () => await noteEndings(tx, ended),
      async () => await noteTags(tx, tagged),
    ]);
  };
  return { hashed, insert };
}

const storedColumns = [...insertedColumns, "ending"];

const logText = insertText("logs", storedColumns);

/** With ids that were reserved. */
const intoLogs = `${intoText("logs", ["id", ...storedColumns])} overriding system value`;

/**
 * Computes the hash of a row as `hashRow` does. Texts are first made storable, so a row has the same
 * hash before and after it is stored.
 */
export function logHash(given: Omit<LogRow, LaterColumn>): string {
  return hashRow(storable(given), given.id);
}

/**
 * Replaces characters that a database could not store and return unchanged: NUL, which PostgreSQL
 * refuses, and half surrogate pairs, which UTF-8 cannot encode. A client or an upstream may send
 * both, and they must not prevent the settlement of a call.
 */
function storable<Row extends CallLogRow>(row: Row): Row {
  // Nearly all rows need no replacement, and a copy of each row would cost more than its insert.
  if (!textColumns.some((name) => isOdd(row[name]))) return row;
  const clean = textColumns.map((name) => [
    name,
    row[name].replaceAll("\0", "\u{FFFD}").toWellFormed(),
  ]);
  return { ...row, ...Object.fromEntries(clean) };
}

function isOdd(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/** The columns of a cost, in a row of which none is known. */
export const noCost = { cost: null, cost_version: 0, cost_reported: "", salt: "" } as const;

/** A log row that does not describe a call. */
type LogNote = {
  /** The log type: 1 top-up, 3 management, 4 system. */
  readonly type: 1 | 3 | 4;
  /** The user whom the row concerns, and in whose log it appears. */
  readonly userId: number;
  readonly content: string;
  /** The quota units that the note is about; absent when there are none. */
  readonly quota?: number;
  /** Quota units that nobody is charged for; absent when there are none. */
  readonly writeOff?: number;
  /** The client's IP address; absent when there is none, or when the user must not see it. */
  readonly clientIp?: string;
  /** The channel that the row concerns; absent when it concerns none. */
  readonly channelId?: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The longest text of a note, in characters; a longer text is cut. */
const contentMax = 2_000;

/** Returns what the audit log says of a top-up in the log. */
export function notedLog(row: LogRow): RowState {
  return { hash: logHash(row) };
}

/**
 * Adds the row of a top-up to a user's log, as `insertLog` does, and an entry to the audit log that
 * proves it: so it is the last that its transaction does.
 */
export async function insertTopUpLog(tx: Db, note: Omit<LogNote, "type">): Promise<void> {
  const { id } = await insertLog(tx, { ...note, type: 1 });
  const row = await tx
    .selectFrom("logs")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await appendAudit(tx, {
    actor: systemActor,
    action: "log.top-up",
    target: `log:${id}`,
    detail: { user_id: note.userId },
    row: await noteRow(tx, "log", id, notedLog(row)),
    nowMs: note.nowMs,
  });
}

/** Adds a row that does not describe a call to a user's log, with the user's present name. */
export async function insertLog(tx: Db, note: LogNote): Promise<{ readonly id: number }> {
  const user = await tx
    .selectFrom("users")
    .select("username")
    .where("id", "=", note.userId)
    .executeTakeFirst();
  const [inserted] = await insertCallLogs(tx, [
    {
      ...blankRow,
      created_at: unixSeconds(note.nowMs),
      type: note.type,
      user_id: note.userId,
      username: user?.username ?? "",
      channel: note.channelId ?? 0,
      quota: note.quota ?? 0,
      write_off: note.writeOff ?? 0,
      content: note.content.slice(0, contentMax),
      client_ip: note.clientIp ?? "",
    },
  ]);
  return { id: inserted?.id ?? 0 };
}

/** Stores on the log row of an interrupted call what the call would have cost. */
export async function setWriteOff(tx: Db, logId: number, amount: number): Promise<void> {
  await tx.updateTable("logs").set({ write_off: amount }).where("id", "=", logId).execute();
}

/** Marks log rows of calls whose charge was given back. */
export async function markReversed(tx: Db, logIds: readonly number[]): Promise<void> {
  await dropEndings(tx, logIds);
  await tx
    .updateTable("logs")
    .set({ reversed: 1 })
    .where("id", "in", [...logIds])
    .execute();
}

/** Adds to log rows of charges what a re-rate adds to them; below 0: what it takes off. */
export async function noteRerated(
  tx: Db,
  changes: readonly { readonly logId: number; readonly amount: number }[],
): Promise<void> {
  if (changes.length === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const { logId, amount } of changes) prepared.run(reratedText, [amount, logId]);
    return;
  }
  const values = changes.map(({ logId, amount }) => sql`(${whole(logId)}, ${whole(amount)})`);
  await sql`
    update logs set rerated = rerated + v.column2
    from (values ${sql.join(values)}) as v where id = v.column1`.execute(tx);
}

const reratedText = "update logs set rerated = rerated + ? where id = ?";

/** Notes on the log row of a charge how much of it was refunded. */
export async function markRefunded(tx: Db, logId: number, amount: number): Promise<void> {
  await tx.updateTable("logs").set({ refunded: amount }).where("id", "=", logId).execute();
}
