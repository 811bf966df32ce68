/** The tables of `db/tables/ledger.ts` in memory, without columns that money does not need. */

import type { LendPolicy } from "#modules/ledger/holds.ts";

export type ModelUser = { balance: number; held: number; used: number };

export type ModelToken = { granted: number; remain: number; used: number; held: number };

export type ModelReservation = {
  readonly nodeId: string;
  epoch: number;
  /** When the quota was reserved, in simulated milliseconds, as are all times in these tables. */
  readonly takenAt: number;
  readonly userId: number;
  readonly tokenId: number;
  amount: number;
  tokenAmount: number;
};

export type ModelEntry = {
  readonly cause: string;
  /** Request id of the call that this entry settles; `""`: the entry has another cause. */
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly amount: number;
};

export type ModelNode = {
  epoch: number;
  startedAt: number;
  heartbeatAt: number;
  joinedAt: number;
  /** When the node's epoch was last ended; 0: never. */
  endedAt: number;
};

export type ModelTables = {
  readonly now: () => number;
  readonly nodes: Map<string, ModelNode>;
  /** Calls that were interrupted, because the epoch of their node ended. */
  readonly interrupted: Set<string>;
  /** True: accounts store their held quota, because several nodes share them. */
  readonly grants: boolean;
  readonly users: Map<number, ModelUser>;
  readonly tokens: Map<number, ModelToken>;
  readonly reservations: Map<string, ModelReservation>;
  readonly entries: ModelEntry[];
  readonly causes: Set<string>;
  /** What each call was charged, by request id. */
  readonly charges: Map<string, number>;
  /** The number of log rows of type 5 (failed calls), by request id. */
  readonly failures: Map<string, number>;
  /** The number of transactions so far. */
  version: number;
};

export function emptyTables(policy: LendPolicy, now: () => number): ModelTables {
  return {
    now,
    nodes: new Map(),
    interrupted: new Set(),
    grants: policy === "exact",
    users: new Map(),
    tokens: new Map(),
    reservations: new Map(),
    entries: [],
    causes: new Set(),
    charges: new Map(),
    failures: new Map(),
    version: 0,
  };
}

export function append({ causes, entries }: ModelTables, entry: ModelEntry): void {
  if (causes.has(entry.cause)) throw new Error(`${entry.cause} counted already`);
  causes.add(entry.cause);
  entries.push(entry);
}

/**
 * Adds a reservation's amounts to `held` of its user and token (sign 1), or subtracts them (sign
 * −1).
 */
export function addHold(tables: ModelTables, row: ModelReservation, sign: -1 | 1): void {
  if (!tables.grants) return;
  const user = tables.users.get(row.userId);
  if (user !== undefined) user.held += sign * row.amount;
  const token = tables.tokens.get(row.tokenId);
  if (token !== undefined) token.held += sign * row.tokenAmount;
}

export function giveBack(tables: ModelTables, id: string): void {
  const row = tables.reservations.get(id);
  if (row === undefined) return;
  addHold(tables, row, -1);
  tables.reservations.delete(id);
}

export function addFailure({ failures }: ModelTables, requestId: string): void {
  failures.set(requestId, (failures.get(requestId) ?? 0) + 1);
}
