/**
 * Does in memory what `modules/ledger` does to the tables, a thousand times faster.
 * `model-store.test.ts` compares the two.
 */

import { Refusal } from "#base/refusal.ts";
import type { LendPolicy } from "#modules/ledger/holds.ts";
import type { NodeEpoch } from "#modules/ledger/nodes.ts";
import type { Applied } from "#modules/ledger/journal/apply-records.ts";
import type { NewRecord } from "#modules/ledger/journal/records.ts";
import { type Batch, type BatchAnswer, idOf } from "#modules/ledger/operations.ts";
import { applyBatch } from "./model-batch.ts";
import { appendRecord, applyEnded, applyRecords, readJournalEnd } from "./model-journal.ts";
import {
  beat,
  endEpoch,
  endSilent,
  joinNodes,
  lostNodes,
  releaseInterrupted,
  removeNodes,
} from "./model-nodes.ts";
import {
  append,
  emptyTables,
  type ModelBudget,
  type ModelEntry,
  type ModelNode,
  type ModelRecord,
  type ModelRefused,
  type ModelReservation,
  type ModelTables,
  type ModelToken,
  type ModelUser,
  type Promised,
} from "./model-tables.ts";

export type ModelStore = {
  readonly users: ReadonlyMap<number, ModelUser>;
  readonly tokens: ReadonlyMap<number, ModelToken>;
  readonly budgets: ReadonlyMap<string, ModelBudget>;
  readonly reservations: ReadonlyMap<string, ModelReservation>;
  readonly entries: readonly ModelEntry[];
  /** The number of log rows of type 5 (failed calls), by request id. */
  readonly failures: ReadonlyMap<string, number>;
  /** The number of transactions so far; it tells whether anything has changed. */
  version(): number;
  openUser(userId: number): void;
  openToken(tokenId: number, granted: number): void;
  /**
   * Posts an entry to a user's balance.
   * @throws Refusal when less would be left than is held; an Error when the cause has been counted
   * before.
   */
  post(posting: { readonly cause: string; readonly userId: number; readonly amount: number }): void;
  /**
   * Changes a token's remaining quota.
   * @throws Refusal when less would be left than is held.
   */
  adjustToken(tokenId: number, delta: number): void;
  /** Applies the whole batch, or nothing when it throws. */
  applyBatch(batch: Batch): BatchAnswer;
  appendRecord(record: NewRecord): ReturnType<typeof appendRecord>;
  readJournalEnd(nodeId: string): ReturnType<typeof readJournalEnd>;
  /** Writes records of a node into the books, or nothing when it throws. */
  applyRecords(nodeId: string, upTo: number, apart: boolean): Applied;
  applyEnded(nodeId: string, apart: boolean): boolean;
  /** What calls were told to cost, and the books do not have yet, by request id. */
  readonly promised: ReadonlyMap<string, Promised>;
  readonly refused: readonly ModelRefused[];
  readonly heads: ModelTables["heads"];
  /** The records that are not in the books. */
  records(): readonly ModelRecord[];
  /** The number of operations that are in the journal and not in the books. */
  unapplied(): number;
  /** Whether the journal has an operation of the call that is not in the books. */
  isJournaled(requestId: string): boolean;
  readonly nodes: ReadonlyMap<string, ModelNode>;
  readonly interrupted: ReadonlySet<string>;
  beat(node: NodeEpoch): boolean;
  joinNodes(node: NodeEpoch): number;
  /**
   * Ends the epochs of nodes that are silent as seen by `watchingId`.
   * @returns these nodes.
   */
  endSilent(watchingId: string): string[];
  endEpoch(nodeId: string): void;
  lostNodes(): string[];
  /**
   * Releases the reservations that this node made in ended epochs.
   * @returns the released calls.
   */
  releaseInterrupted(nodeId: string): string[];
  removeNodes(nodeIds: readonly string[]): void;
};

export function openModelStore(policy: LendPolicy, now: () => number): ModelStore {
  const tables = emptyTables(policy, now);
  const { users, tokens, budgets, reservations, entries, failures, nodes, interrupted } = tables;
  const records = () => [...tables.journal.values()].flat();
  const journaled = () => records().flatMap((one) => one.operations);
  const change = <Result>(run: () => Result): Result => {
    tables.version += 1;
    return run();
  };
  return {
    users,
    tokens,
    budgets,
    reservations,
    entries,
    failures,
    nodes,
    interrupted,
    version: () => tables.version,
    applyBatch: (batch) => applyBatch(tables, batch),
    appendRecord: (record) => appendRecord(tables, record),
    readJournalEnd: (nodeId) => readJournalEnd(tables, nodeId),
    applyRecords: (nodeId, upTo, apart) => applyRecords(tables, nodeId, upTo, apart),
    applyEnded: (nodeId, apart) => applyEnded(tables, nodeId, apart),
    promised: tables.promised,
    refused: tables.refused,
    heads: tables.heads,
    records,
    unapplied: () => journaled().length,
    isJournaled: (requestId) => journaled().some((operation) => idOf(operation) === requestId),
    post: (posting) => post(tables, posting),
    openUser: (userId) => void users.set(userId, { balance: 0, held: 0, used: 0 }),
    openToken: (tokenId, granted) =>
      void tokens.set(tokenId, { granted, remain: granted, used: 0, held: 0 }),

    adjustToken(tokenId, delta) {
      const token = tokens.get(tokenId);
      if (token === undefined) throw new Error(`token ${tokenId} has no balance`);
      if (token.remain + delta < token.held) throw new Refusal("quota-too-low", "held");
      tables.version += 1;
      token.remain += delta;
      token.granted += delta;
    },

    beat: (node) => beat(tables, node),
    joinNodes: (node) => change(() => joinNodes(tables, node)),
    endSilent: (watchingId) => change(() => endSilent(tables, watchingId)),
    endEpoch: (nodeId) => change(() => endEpoch(tables, nodeId)),
    lostNodes: () => lostNodes(tables),
    releaseInterrupted: (nodeId) => change(() => releaseInterrupted(tables, nodeId)),
    removeNodes: (nodeIds) => removeNodes(tables, nodeIds),
  };
}

type Posting = { readonly cause: string; readonly userId: number; readonly amount: number };

function post(tables: ModelTables, { cause, userId, amount }: Posting): void {
  const user = tables.users.get(userId);
  if (user === undefined) throw new Error(`user ${userId} has no balance`);
  if (user.balance + amount < user.held) throw new Refusal("quota-too-low", "held");
  append(tables, { cause, requestId: "", userId, tokenId: 0, amount, budgetAt: 0 });
  tables.version += 1;
  user.balance += amount;
}
