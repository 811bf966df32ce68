/**
 * Does in memory what `modules/ledger` does to the tables, a thousand times faster.
 * `model-store.test.ts` compares the two.
 */

import { Refusal } from "#base/refusal.ts";
import type { LendPolicy } from "#modules/ledger/holds.ts";
import type { NodeEpoch } from "#modules/ledger/nodes.ts";
import type { Batch, BatchAnswer } from "#modules/ledger/operations.ts";
import { applyBatch } from "./model-batch.ts";
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
  type ModelReservation,
  type ModelTables,
  type ModelToken,
  type ModelUser,
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
