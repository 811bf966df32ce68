/**
 * Does in memory what `modules/ledger` does to the tables, a thousand times faster.
 * `model-store.test.ts` compares the two.
 */

import { Refusal } from "#base/refusal.ts";
import type { LendPolicy } from "#modules/ledger/holds.ts";
import type { Batch, OperationResult } from "#modules/ledger/operations.ts";
import { applyBatch } from "./model-batch.ts";
import {
  addFailure,
  append,
  emptyTables,
  giveBack,
  type ModelEntry,
  type ModelReservation,
  type ModelTables,
  type ModelToken,
  type ModelUser,
} from "./model-tables.ts";

export type ModelStore = {
  readonly users: ReadonlyMap<number, ModelUser>;
  readonly tokens: ReadonlyMap<number, ModelToken>;
  readonly reservations: ReadonlyMap<string, ModelReservation>;
  readonly entries: readonly ModelEntry[];
  /** Rows of type 5, by request id. */
  readonly failures: ReadonlyMap<string, number>;
  /** Transactions so far. */
  version(): number;
  openUser(userId: number): void;
  openToken(tokenId: number, granted: number): void;
  /** @throws Refusal when less would be left than is held; an Error when the cause counted. */
  post(posting: { readonly cause: string; readonly userId: number; readonly amount: number }): void;
  /** @throws Refusal when less would be left than is held. */
  adjustToken(tokenId: number, delta: number): void;
  /** Applies all operations or, when it throws, none. */
  applyBatch(batch: Batch): OperationResult[];
  /** @returns how many reservations of these nodes were released. */
  releaseInterrupted(nodeIds: ReadonlySet<string>): number;
};

export function openModelStore(policy: LendPolicy): ModelStore {
  const tables = emptyTables(policy);
  const { users, tokens, reservations, entries, failures } = tables;
  return {
    users,
    tokens,
    reservations,
    entries,
    failures,
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

    releaseInterrupted(nodeIds) {
      const ids = [...reservations].flatMap(([id, row]) => (nodeIds.has(row.nodeId) ? [id] : []));
      tables.version += 1;
      for (const id of ids) {
        giveBack(tables, id);
        addFailure(tables, id);
      }
      return ids.length;
    },
  };
}

type Posting = { readonly cause: string; readonly userId: number; readonly amount: number };

function post(tables: ModelTables, { cause, userId, amount }: Posting): void {
  const user = tables.users.get(userId);
  if (user === undefined) throw new Error(`user ${userId} has no balance`);
  if (user.balance + amount < user.held) throw new Refusal("quota-too-low", "held");
  append(tables, { cause, requestId: "", userId, tokenId: 0, amount });
  tables.version += 1;
  user.balance += amount;
}
