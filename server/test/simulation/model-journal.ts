/** An in-memory model of what `modules/ledger/journal/` does to the tables. */

import { decodeOperations } from "#modules/ledger/batch-text.ts";
import type { Applied } from "#modules/ledger/journal/apply-records.ts";
import { type NewRecord, rowOf } from "#modules/ledger/journal/records.ts";
import { idOf, type Operation, type OperationResult } from "#modules/ledger/operations.ts";
import { applyDecided } from "./model-batch.ts";
import { isEpoch } from "./model-nodes.ts";
import { giveBack, type ModelRecord, type ModelTables } from "./model-tables.ts";

type Appended = "behind" | "fenced" | { readonly sum: string };

/** As in `apply-records.ts`: how many operations of an ended epoch one transaction writes. */
const endedMax = 200;

export function appendRecord(tables: ModelTables, record: NewRecord): Appended {
  const { nodeId, seq, before, epoch } = record;
  const { sum } = rowOf(record);
  const records = recordsOf(tables, nodeId);
  const known = records.find((one) => one.seq === seq);
  const head = headOf(tables, nodeId);
  const follows =
    (seq === 1 && head.applied === 0) ||
    records.some((one) => one.seq === seq - 1 && one.sum === before) ||
    (head.applied === seq - 1 && head.sum === before);
  const isCurrent = isEpoch(tables, record);
  if (known === undefined && isCurrent && follows) {
    const operations = decodeOperations(record.body);
    const row = { nodeId, epoch, seq, before, sum, operations };
    tables.journal.set(nodeId, [...records, row]);
    tables.version += 1;
    for (const operation of operations) promise(tables, operation);
    return { sum };
  }
  if (known === undefined) return isCurrent ? "behind" : "fenced";
  if (known.sum !== sum) throw new Error(`record ${seq} of the journal is another one`);
  return { sum };
}

/** Notes what a call was told to cost, until that is in the books. */
function promise({ promised }: ModelTables, operation: Operation): void {
  if (operation.type !== "settle") return;
  const { id, log, tokenLimited, charge, charged, budget } = operation;
  const { userId, tokenId } = log;
  const amount = charged ?? charge;
  promised.set(id, { userId, tokenId, tokenLimited, amount, budgetAt: budget?.at ?? 0 });
}

export function readJournalEnd(
  tables: ModelTables,
  nodeId: string,
): { readonly seq: number; readonly sum: string } {
  const last = recordsOf(tables, nodeId).at(-1) ?? { seq: 0, sum: "" };
  const head = headOf(tables, nodeId);
  return head.applied > last.seq ? { seq: head.applied, sum: head.sum } : last;
}

function recordsOf({ journal }: ModelTables, nodeId: string): readonly ModelRecord[] {
  return journal.get(nodeId) ?? [];
}

function headOf({ heads }: ModelTables, nodeId: string) {
  return heads.get(nodeId) ?? { applied: 0, sum: "" };
}

/** Writes the records of a node up to one into the books, or nothing when it throws. */
export function applyRecords(
  tables: ModelTables,
  nodeId: string,
  upTo: number,
  apart: boolean,
): Applied {
  const records = recordsOf(tables, nodeId);
  const due = records.filter(({ seq }) => seq <= upTo);
  const other = due.findIndex(({ epoch }) => epoch !== due[0]?.epoch);
  const group = other < 0 ? due : due.slice(0, other);
  let { applied, sum } = headOf(tables, nodeId);
  const last = group.at(-1);
  if (last === undefined) return { applied, refused: 0 };
  const operations: Operation[] = [];
  const refusedBefore = tables.refused.length;
  const strays: ModelTables["refused"] = [];
  for (const record of group) {
    if (record.seq <= applied) {
      strays.push({ requestId: "", kind: "behind" });
      continue;
    }
    if (record.seq !== applied + 1) strays.push({ requestId: "", kind: "missing" });
    if (record.seq === applied + 1 && record.before !== sum) {
      strays.push({ requestId: "", kind: "changed" });
    } else operations.push(...record.operations);
    applied = record.seq;
    ({ sum } = record);
  }
  applyAll(tables, { nodeId, epoch: last.epoch, operations }, apart);
  tables.refused.push(...strays);
  tables.journal.set(nodeId, records.slice(group.length));
  tables.heads.set(nodeId, { applied, sum });
  tables.version += 1;
  for (const operation of operations) {
    if (operation.type === "settle") tables.promised.delete(operation.id);
  }
  return { applied, refused: tables.refused.length - refusedBefore };
}

type Decided = {
  readonly nodeId: string;
  readonly epoch: number;
  readonly operations: readonly Operation[];
};

function applyAll(tables: ModelTables, { operations, ...of }: Decided, apart: boolean): void {
  if (operations.length === 0) return;
  const apply = (some: readonly Operation[]): void => {
    const results = applyDecided(tables, { ...of, again: false, operations: some });
    for (const [index, operation] of some.entries()) findCut(tables, operation, results[index]);
  };
  if (!apart) {
    apply(operations);
    return;
  }
  for (const operation of operations) {
    try {
      apply([operation]);
    } catch {
      if (operation.type === "settle") giveBack(tables, operation.id);
      tables.refused.push({ requestId: idOf(operation), kind: "failed" });
    }
  }
}

function findCut(
  { refused }: ModelTables,
  operation: Operation,
  result: OperationResult | undefined,
): void {
  if (operation.type !== "settle" || result?.type !== "settled") return;
  if (result.charged === (operation.charged ?? operation.charge)) return;
  refused.push({ requestId: operation.id, kind: "cut" });
}

/**
 * Writes records of a node's ended epochs into the books, as many as make a group.
 * @returns false: there was none.
 */
export function applyEnded(tables: ModelTables, nodeId: string, apart: boolean): boolean {
  const ended = recordsOf(tables, nodeId).filter((record) => !isEpoch(tables, record));
  const [first] = ended;
  if (first === undefined) return false;
  let calls = 0;
  let upTo = first.seq;
  for (const { operations, seq } of ended) {
    calls += operations.length;
    if (calls > endedMax && upTo > first.seq) break;
    upTo = seq;
  }
  applyRecords(tables, nodeId, upTo, apart);
  return true;
}
