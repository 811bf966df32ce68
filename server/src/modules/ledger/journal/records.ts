/**
 * The records of the journal. A record is one batch of operations that nothing can refuse any more.
 * It is one row, so its commit is all that the ends of its calls wait for.
 */

import { sql } from "kysely";
import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { singleOf } from "#db/prepared.ts";
import type { JournalTable } from "#db/tables/ledger.ts";

/**
 * The version of the text of operations. A program reads its own and the one before, so that a
 * record which was written before an upgrade gets into the books after it.
 */
export const recordFormat = 1;

/** A record as the thread that relays sends it. */
export type NewRecord = {
  readonly nodeId: string;
  readonly epoch: number;
  readonly seq: number;
  /** Number of operations. */
  readonly calls: number;
  /** The operations, as `encodeOperations` writes them. */
  readonly body: string;
  /** `sum` of the node's record before; empty: there was none. */
  readonly before: string;
};

/** Where the records of a node end. */
export type JournalEnd = { readonly seq: number; readonly sum: string };

/**
 * `fenced`: the node's epoch has ended, and there is no such record; `behind`: the database lacks the
 * record before it, so it shows less than it had acknowledged. Otherwise the record is committed.
 */
type AppendAnswer = "behind" | "fenced" | { readonly sum: string };

/** Computes the `sum` of a record. */
export function sumOf(before: string, record: Omit<JournalTable, "sum">): string {
  const { node_id, epoch, seq, format, calls, body } = record;
  return hashText(`${before} ${node_id} ${epoch} ${seq} ${format} ${calls}\n${body}`);
}

export function rowOf(record: NewRecord): JournalTable {
  const row = {
    node_id: record.nodeId,
    epoch: record.epoch,
    seq: record.seq,
    format: recordFormat,
    calls: record.calls,
    body: record.body,
  };
  return { ...row, sum: sumOf(record.before, row) };
}

const appendText = `insert into journal (node_id, epoch, seq, format, calls, body, sum)
  select ?, ?, ?, ?, ?, ?, ? from nodes where id = ? and epoch = ? and (
    exists (select 1 from journal where node_id = ? and seq = ? and sum = ?)
    or exists (select 1 from journal_heads where node_id = ? and applied = ? and sum = ?)
    or ? = 1 and not exists (select 1 from journal_heads where node_id = ? and applied > 0))
  on conflict (node_id, seq) do nothing`;

/**
 * Writes a record, in one statement that is a transaction by itself. A record that is there already,
 * because it was sent before, is known to be committed.
 *
 * @param db not in a transaction.
 */
export async function appendRecord(db: Db, record: NewRecord): Promise<AppendAnswer> {
  const row = rowOf(record);
  if ((await insert(db, row, record.before)) === 1) return { sum: row.sum };
  const found = await db
    .selectFrom("journal")
    .select("sum")
    .where("node_id", "=", row.node_id)
    .where("seq", "=", row.seq)
    .executeTakeFirst();
  if (found === undefined) return (await hasEpoch(db, record)) ? "behind" : "fenced";
  if (found.sum !== row.sum) throw new Error(`record ${row.seq} of the journal is another one`);
  return { sum: row.sum };
}

async function hasEpoch(db: Db, { nodeId, epoch }: NewRecord): Promise<boolean> {
  const found = await db
    .selectFrom("nodes")
    .select("id")
    .where("id", "=", nodeId)
    .where("epoch", "=", epoch)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Inserts a record only if the one before it is there, in the journal or in the books. So a record
 * that got into the books and arrives once more is not inserted again.
 */
async function insert(db: Db, row: JournalTable, before: string): Promise<number> {
  const { node_id, epoch, seq, format, calls, body, sum } = row;
  const single = singleOf(db);
  if (single !== undefined) {
    const last = [node_id, seq - 1, before];
    const values = [node_id, epoch, seq, format, calls, body, sum, node_id, epoch];
    values.push(...last, ...last, seq, node_id);
    return single.run(appendText, values).changes;
  }
  // Whoever ends the epoch waits for this lock, so no record appears after that.
  const { numAffectedRows = 0n } = await sql`
    insert into journal (node_id, epoch, seq, format, calls, body, sum)
    select id, epoch, cast(${seq} as bigint), cast(${format} as bigint), cast(${calls} as bigint),
      cast(${body} as text), cast(${sum} as text)
    from nodes where id = ${node_id} and epoch = ${epoch} and (
      exists (
        select 1 from journal where node_id = ${node_id} and seq = ${seq - 1} and sum = ${before})
      or exists (
        select 1 from journal_heads
        where node_id = ${node_id} and applied = ${seq - 1} and sum = ${before})
      or cast(${seq} as bigint) = 1
        and not exists (select 1 from journal_heads where node_id = ${node_id} and applied > 0))
    ${sql.raw(lockOf(db))}
    on conflict (node_id, seq) do nothing`.execute(db);
  return Number(numAffectedRows);
}

function lockOf(db: Db): string {
  return dialectOf(db) === "postgres" ? "for key share" : "";
}

/** Reads where the records of a node end, whether or not they are in the books. */
export async function readJournalEnd(db: Db, nodeId: string): Promise<JournalEnd> {
  const last = await db
    .selectFrom("journal")
    .select(["seq", "sum"])
    .where("node_id", "=", nodeId)
    .orderBy("seq", "desc")
    .executeTakeFirst();
  // Read after the records: those that get into the books in between are counted by it.
  const head = await db
    .selectFrom("journal_heads")
    .select(["applied as seq", "sum"])
    .where("node_id", "=", nodeId)
    .executeTakeFirst();
  const ends = [last, head].flatMap((end) => (end === undefined ? [] : [end]));
  return ends.sort((a, b) => b.seq - a.seq)[0] ?? { seq: 0, sum: "" };
}
