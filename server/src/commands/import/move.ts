/**
 * Moves the rows of another gateway here, table by table and in batches, each of which is one
 * transaction: a run that was ended at any point is continued by the next one, which finds by its
 * notes what is here already. A dry run judges the same rows and writes nothing.
 */

import type { AddressPolicy } from "#base/address-policy.ts";
import type { Random } from "#base/random.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type { ForeignDatabase, ForeignRow } from "#db/foreign.ts";
import type { Convert } from "#modules/import/amounts.ts";
import type { OpenReader, RowKind, TableReader } from "#modules/import/import.ts";
import { noteFault, noteUnplaced, type Report } from "#modules/import/report.ts";
import { openValues, RowFault, textOf } from "#modules/import/values.ts";

/** How rows are treated that meet others here. */
export type Rules = {
  /** What becomes of a user whose name is taken here. */
  readonly conflicts: "merge" | "rename" | "skip";
  /** What becomes of a balance below 0. */
  readonly negative: "debt" | "zero";
};

export type Move = {
  readonly db: Db;
  readonly source: ForeignDatabase;
  readonly reader: OpenReader;
  readonly convert: Convert;
  readonly rules: Rules;
  /** From when on calls of the log are brought, in Unix seconds; null: none are. */
  readonly logsSince: number | null;
  readonly report: Report;
  /** 0: it is a dry run, and nothing was imported under the name before. */
  readonly importId: number;
  readonly writes: boolean;
  /** Whether an earlier run has come to its end. */
  readonly isRepeated: boolean;
  /** Whether users cannot call here until the last run. */
  readonly follows: boolean;
  readonly isLast: boolean;
  /** What users of the source should have here, by their ids there. */
  readonly expected: Map<string, Expected>;
  readonly secrets: Secrets;
  readonly policy: AddressPolicy;
  readonly random: Random;
  /** Names, addresses and keys that rows of a dry run would take. */
  readonly taken: Set<string>;
  /** Ids of the users of a dry run that would come. */
  readonly comingUsers: Set<string>;
  readonly progress: (kind: RowKind, done: number) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

type Expected = {
  /** The id here. */
  readonly id: number;
  readonly username: string;
  /** The balance less the debt, in quota units. */
  readonly amount: number;
};

/** How many rows are one transaction. */
const batchSize = 200;

/** Reads all rows of a kind, table by table, as `moveTable` does. */
export async function moveTables<Row extends { readonly id: string }>(
  move: Move,
  kind: RowKind,
  readers: readonly TableReader<Row>[],
  handle: (tx: Db, rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  for (const reader of readers) {
    if (move.source.tables.has(reader.table)) await moveTable(move, kind, reader, handle);
  }
}

/** Gives rows to `handle` as one batch. */
export async function moveBatch<Row>(
  { db, writes }: Pick<Move, "db" | "writes">,
  rows: readonly Row[],
  handle: (tx: Db, rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  if (!writes || rows.length === 0) await handle(db, rows);
  else await db.transaction().execute(async (tx) => await handle(tx, rows));
}

/** Which rows of a table are read. */
type Part = {
  /** The key after which they begin; null: with the first. */
  readonly after: number | string | null;
  readonly limit: number;
  readonly since?: { readonly column: string; readonly at: number } | undefined;
};

/**
 * Reads the rows of a table and gives them to `handle` in batches, in the order of their ids.
 *
 * @param part absent: all of them.
 */
export async function moveTable<Row extends { readonly id: string }>(
  move: Move,
  kind: RowKind,
  reader: TableReader<Row>,
  handle: (tx: Db, rows: readonly Row[]) => Promise<void>,
  part: Part = { after: null, limit: batchSize },
): Promise<void> {
  const { source, report } = move;
  const { table, key } = reader;
  const known = new Set(reader.plain);
  const { limit, since } = part;
  let { after } = part;
  for (;;) {
    const page: ForeignRow[] = await source.page(table, { key, after, limit, since });
    const rows = page.flatMap((row) => readRow(move, kind, reader, row, known) ?? []);
    await moveBatch(move, rows, handle);
    await move.progress(kind, report.rows[kind].read);
    const last = page.at(-1)?.[key];
    if (page.length < limit || last === undefined || last === null) return;
    after =
      typeof last === "bigint" ? Number(last) : typeof last === "number" ? last : textOf(last);
  }
}

function readRow<Row>(
  { report }: Move,
  kind: RowKind,
  reader: TableReader<Row>,
  row: ForeignRow,
  plain: ReadonlySet<string>,
): Row | undefined {
  report.rows[kind].read += 1;
  const values = openValues(row);
  try {
    const read = reader.read(values);
    noteUnplaced(report, reader.table, row, new Set([...plain, ...values.asked]));
    return read;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    const id = textOf(row[reader.key]).slice(0, idMax);
    noteFault(report, { kind, id, what: `${error.column} ${error.message}` });
    return undefined;
  }
}

/** How much of an id is shown, in characters. */
const idMax = 40;

/** Runs what may refuse a row; a refused one is noted as left out. @returns whether it was not. */
export async function judged(
  { report }: Move,
  kind: RowKind,
  id: string,
  run: () => Promise<void>,
): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    noteFault(report, { kind, id, what: `${error.column} ${error.message}` });
    return false;
  }
}
