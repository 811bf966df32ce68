/**
 * Writes records of the journal into the books: log rows, entries, balances, counters and roll-ups.
 * The books, the mark up to which they are complete and the deletion of the records are one
 * transaction, so each record gets there once.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { isStoreFailure, lockRows } from "#db/dialect.ts";
import { answersTo, inOrder, pipelined } from "#db/pipeline.ts";
import type { JournalTable } from "#db/tables/ledger.ts";
import { applyDecided } from "#modules/ledger/batch.ts";
import { decodeOperations, encodeOperations } from "#modules/ledger/batch-text.ts";
import { idOf, type Operation, type OperationResult } from "#modules/ledger/operations.ts";
import { insertCallLogs } from "#modules/logs/logs.ts";
import { pendingRow } from "#modules/ledger/call-rows.ts";
import { recordFormat, sumOf } from "./records.ts";
import { noteRefused, type Refused } from "./refuse.ts";

export type Applied = {
  /** Up to which record the books are complete. */
  readonly applied: number;
  /** How many records, or operations, could not be written as they say. */
  readonly refused: number;
};

/** One operation of a record. */
type Placed = { readonly seq: number; readonly place: number; readonly operation: Operation };

/** What was read of the records, in the order of their operations. */
type Group = {
  readonly placed: readonly Placed[];
  readonly refused: readonly Refused[];
  readonly applied: number;
  readonly sum: string;
  readonly epoch: number;
};

/**
 * Writes the records of a node into the books, from where they are complete up to `upTo`.
 *
 * @param apart finds out which operations cannot be written, and writes all others.
 */
export async function applyRecords(
  given: Db,
  nodeId: string,
  upTo: number,
  apart: boolean,
): Promise<Applied> {
  const tx = await pipelined(given);
  const { head, rows } = await readLocked(tx, nodeId, upTo);
  const last = rows.at(-1);
  if (last === undefined) return { applied: head.applied, refused: 0 };
  const group = readGroup(head, rows);
  const { applied, sum } = group;
  // Before the books, because calls wait while those are locked.
  await inOrder(tx, [
    async () =>
      await tx
        .deleteFrom("journal")
        .where("node_id", "=", nodeId)
        .where("seq", "<=", last.seq)
        .execute(),
    async () =>
      await tx
        .updateTable("journal_heads")
        .set({ applied, sum })
        .where("node_id", "=", nodeId)
        .execute(),
  ]);
  const operations = group.placed.map(({ operation }) => operation);
  const batch = { nodeId, epoch: group.epoch, again: false, operations };
  const refused = [...group.refused];
  if (operations.length > 0) {
    if (apart) refused.push(...(await applyApart(given, { ...batch, placed: group.placed })));
    else refused.push(...findCut(group.placed, await applyDecided(given, batch, "last")));
  }
  await noteRefused(given, nodeId, refused);
  return { applied, refused: refused.length };
}

/** Locks the mark of a node, and reads the records that follow it. */
async function readLocked(
  tx: Db,
  nodeId: string,
  upTo: number,
): Promise<{ readonly head: Head; readonly rows: readonly JournalTable[] }> {
  const [head, rows] = await answersTo([findHead(tx, nodeId), readRows(tx, nodeId, upTo)]);
  if (head !== undefined) return { head, rows };
  return { head: await lockHead(tx, nodeId), rows: await readRows(tx, nodeId, upTo) };
}

type Head = { readonly applied: number; readonly sum: string };

/** How many operations of an ended epoch one transaction writes, as long as they are in several records. */
const endedMax = 200;

/**
 * Writes records of a node's ended epochs into the books, as many as make a group.
 *
 * @returns false: there was none, and none can appear any more.
 */
export async function applyEnded(tx: Db, nodeId: string, apart: boolean): Promise<boolean> {
  await lockHead(tx, nodeId);
  const rows = await tx
    .selectFrom("journal")
    .select(["seq", "calls"])
    .where("node_id", "=", nodeId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("nodes")
            .select("nodes.id")
            .whereRef("nodes.id", "=", "journal.node_id")
            .whereRef("nodes.epoch", "=", "journal.epoch"),
        ),
      ),
    )
    .orderBy("seq")
    .limit(endedMax)
    .execute();
  const [first] = rows;
  if (first === undefined) return false;
  let calls = 0;
  let upTo = first.seq;
  for (const row of rows) {
    calls += row.calls;
    if (calls > endedMax && upTo > first.seq) break;
    upTo = row.seq;
  }
  await applyRecords(tx, nodeId, upTo, apart);
  return true;
}

/** Locks the mark of a node, so that its records get into the books once. */
async function lockHead(tx: Db, nodeId: string): Promise<Head> {
  const found = await findHead(tx, nodeId);
  if (found !== undefined) return found;
  // Two transactions that find none meet here, and the second waits for the first.
  await tx
    .insertInto("journal_heads")
    .values({ node_id: nodeId, applied: 0, sum: "" })
    .onConflict((conflict) => conflict.column("node_id").doNothing())
    .execute();
  const made = await findHead(tx, nodeId);
  if (made === undefined) throw new Error("the mark of a node is never removed");
  return made;
}

async function findHead(tx: Db, nodeId: string): Promise<Head | undefined> {
  const query = tx
    .selectFrom("journal_heads")
    .select(["applied", "sum"])
    .where("node_id", "=", nodeId);
  return await lockRows(tx, query).executeTakeFirst();
}

/** Reads the records up to `upTo` that are of the epoch of the first one. */
async function readRows(tx: Db, nodeId: string, upTo: number): Promise<JournalTable[]> {
  const rows = await tx
    .selectFrom("journal")
    .selectAll()
    .where("node_id", "=", nodeId)
    .where("seq", "<=", upTo)
    .orderBy("seq")
    .execute();
  const other = rows.findIndex(({ epoch }) => epoch !== rows[0]?.epoch);
  return other < 0 ? rows : rows.slice(0, other);
}

function readGroup(head: Head, rows: readonly JournalTable[]): Group {
  const placed: Placed[] = [];
  const refused: Refused[] = [];
  let { applied, sum } = head;
  for (const row of rows) {
    const refuse = (kind: Refused["kind"], reason: string): void =>
      void refused.push({ seq: row.seq, place: 0, requestId: "", kind, reason, body: row.body });
    if (row.seq <= applied) {
      refuse("behind", `the books were complete up to record ${applied}`);
      continue;
    }
    const isNext = row.seq === applied + 1;
    if (!isNext) {
      const reason = `records ${applied + 1} to ${row.seq - 1} are missing`;
      refused.push({
        seq: applied + 1,
        place: 0,
        requestId: "",
        kind: "missing",
        reason,
        body: "",
      });
    }
    if (isNext && sumOf(sum, row) !== row.sum) refuse("changed", "its sum is another one");
    else {
      const operations = readOperations(row);
      if (operations === undefined) refuse("unreadable", `its text has format ${row.format}`);
      for (const [place, operation] of operations?.entries() ?? []) {
        placed.push({ seq: row.seq, place, operation });
      }
    }
    applied = row.seq;
    ({ sum } = row);
  }
  return { placed, refused, applied, sum, epoch: rows[0]?.epoch ?? 0 };
}

/** Reads the operations of a record; undefined: this version cannot. */
export function readOperations({
  format,
  body,
}: Pick<JournalTable, "body" | "format">): readonly Operation[] | undefined {
  if (format !== recordFormat) return undefined;
  try {
    return decodeOperations(body);
  } catch {
    return undefined;
  }
}

/**
 * Finds settlements that charged something else than was decided and told. What was held pays for
 * it, so there should be none.
 */
function findCut(placed: readonly Placed[], results: readonly OperationResult[]): Refused[] {
  return placed.flatMap(({ operation, seq, place }, index) => {
    const result = results[index];
    if (operation.type !== "settle" || result?.type !== "settled") return [];
    const decided = operation.charged ?? operation.charge;
    if (result.charged === decided) return [];
    const reason = `${result.charged} was charged of ${decided}`;
    const of = { seq, place, requestId: operation.id, body: encodeOperations([operation]) };
    return [{ ...of, kind: "cut", reason } as const];
  });
}

type ApartBatch = {
  readonly nodeId: string;
  readonly epoch: number;
  readonly placed: readonly Placed[];
};

/** Applies operations; where some cannot be applied, halves of them, down to the single one. */
async function applyApart(tx: Db, { nodeId, epoch, placed }: ApartBatch): Promise<Refused[]> {
  const operations = placed.map(({ operation }) => operation);
  await sql`savepoint part`.execute(tx);
  try {
    const batch = { nodeId, epoch, again: false, operations };
    const cut = findCut(placed, await applyDecided(tx, batch));
    await sql`release savepoint part`.execute(tx);
    return cut;
  } catch (error) {
    if (isStoreFailure(error)) throw error;
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    const [only] = placed;
    if (placed.length === 1 && only !== undefined) {
      return [await leaveOut(tx, { nodeId, epoch, one: only, error })];
    }
    const half = Math.ceil(placed.length / 2);
    const first = await applyApart(tx, { nodeId, epoch, placed: placed.slice(0, half) });
    const rest = await applyApart(tx, { nodeId, epoch, placed: placed.slice(half) });
    return [...first, ...rest];
  }
}

type LeftOut = {
  readonly nodeId: string;
  readonly epoch: number;
  readonly one: Placed;
  readonly error: unknown;
};

/**
 * Leaves one operation out. If it is a settlement, its hold ends all the same, and the log tells its
 * user that the charge is pending.
 */
async function leaveOut(tx: Db, { nodeId, epoch, one, error }: LeftOut): Promise<Refused> {
  const { operation, seq, place } = one;
  const requestId = idOf(operation);
  if (operation.type === "settle") {
    const { userId, tokenId } = operation.log;
    const release = { type: "release", id: operation.id, userId, tokenId } as const;
    await applyDecided(tx, { nodeId, epoch, again: false, operations: [release] });
    await insertCallLogs(tx, [pendingRow(operation.log)]);
  }
  const body = encodeOperations([operation]);
  return { seq, place, requestId, kind: "failed", reason: String(error), body };
}
