/**
 * What `modules/ledger/batch.ts`, `recovery.ts` and `ledger.ts` do to the tables, in memory and a
 * thousand times faster. `model-store.test.ts` holds the two against each other.
 */

import { Refusal } from "#base/refusal.ts";
import type { LendPolicy } from "#modules/ledger/holds.ts";
import type {
  Batch,
  Operation,
  OperationResult,
  ReservationFacts,
} from "#modules/ledger/operations.ts";

export type ModelUser = { balance: number; held: number; used: number };

export type ModelToken = { granted: number; remain: number; used: number; held: number };

export type ModelReservation = {
  readonly nodeId: string;
  readonly userId: number;
  readonly tokenId: number;
  amount: number;
  tokenAmount: number;
};

/** Negative amounts of a settlement, positive and negative ones of everything else. */
export type ModelEntry = {
  readonly cause: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly amount: number;
};

export type ModelStore = {
  readonly users: ReadonlyMap<number, ModelUser>;
  readonly tokens: ReadonlyMap<number, ModelToken>;
  readonly reservations: ReadonlyMap<string, ModelReservation>;
  readonly entries: readonly ModelEntry[];
  /** Rows of type 5, by request id. */
  readonly failures: ReadonlyMap<string, number>;
  openUser(userId: number): void;
  openToken(tokenId: number, granted: number): void;
  /** @throws Refusal when less would be left than is held; an Error when the cause counted. */
  post(posting: { readonly cause: string; readonly userId: number; readonly amount: number }): void;
  /** @throws Refusal when less would be left than is held. */
  adjustToken(tokenId: number, delta: number): void;
  /** All of it or, when it throws, nothing. */
  applyBatch(batch: Batch): OperationResult[];
  /** @returns how many reservations of these nodes were released. */
  releaseInterrupted(nodeIds: ReadonlySet<string>): number;
};

/** `content` of a call whose settlement the database refuses for good. */
export const refusedContent = "refused";

const done: OperationResult = { type: "done" };

export function openModelStore(policy: LendPolicy): ModelStore {
  const users = new Map<number, ModelUser>();
  const tokens = new Map<number, ModelToken>();
  const reservations = new Map<string, ModelReservation>();
  const entries: ModelEntry[] = [];
  const amounts = new Map<string, number>();
  const failures = new Map<string, number>();
  const lends = policy === "exact";

  function append(entry: ModelEntry): void {
    if (amounts.has(entry.cause)) throw new Error(`${entry.cause} counted already`);
    amounts.set(entry.cause, entry.amount);
    entries.push(entry);
  }

  function freeOf(userId: number, tokenId: number): { user: number; token: number } {
    const user = users.get(userId);
    const token = tokens.get(tokenId);
    return {
      user: user === undefined ? 0 : user.balance - user.held,
      token: token === undefined ? 0 : token.remain - token.held,
    };
  }

  /** Moves what a reservation holds into (1) or out of (−1) its accounts' `held`. */
  function addHold(row: ModelReservation, sign: -1 | 1): void {
    if (!lends) return;
    const user = users.get(row.userId);
    if (user !== undefined) user.held += sign * row.amount;
    const token = tokens.get(row.tokenId);
    if (token !== undefined) token.held += sign * row.tokenAmount;
  }

  function open(nodeId: string, facts: ReservationFacts, amount: number): void {
    const { id, userId, tokenId, tokenLimited } = facts;
    const row = { nodeId, userId, tokenId, amount, tokenAmount: tokenLimited ? amount : 0 };
    reservations.set(id, row);
    addHold(row, 1);
  }

  function take(batch: Batch, operation: Operation & { type: "take" }): OperationResult {
    const { facts, want, least } = operation;
    const known = reservations.get(facts.id);
    if (batch.again && known !== undefined) return { type: "taken", amount: known.amount };
    const free = freeOf(facts.userId, facts.tokenId);
    if (free.user < least) return { type: "refused", by: "user", available: free.user };
    if (facts.tokenLimited && free.token < least) {
      return { type: "refused", by: "token", available: free.token };
    }
    const amount = Math.min(want, free.user, facts.tokenLimited ? free.token : want);
    open(batch.nodeId, facts, amount);
    return { type: "taken", amount };
  }

  function more(operation: Operation & { type: "more" }): OperationResult {
    const row = reservations.get(operation.id);
    if (row === undefined) return { type: "taken", amount: 0 };
    if (row.amount > operation.before) {
      return { type: "taken", amount: row.amount - operation.before };
    }
    const free = freeOf(row.userId, row.tokenId);
    const limit = operation.tokenLimited ? Math.min(free.user, free.token) : free.user;
    const amount = Math.max(0, Math.min(operation.want, limit));
    addHold(row, -1);
    row.amount += amount;
    if (operation.tokenLimited) row.tokenAmount += amount;
    addHold(row, 1);
    return { type: "taken", amount };
  }

  function giveBack(id: string): void {
    const row = reservations.get(id);
    if (row === undefined) return;
    addHold(row, -1);
    reservations.delete(id);
  }

  function settle(batch: Batch, operation: Operation & { type: "settle" }): OperationResult {
    const { id, log, charge, tokenLimited } = operation;
    giveBack(id);
    const known = batch.again ? amounts.get(causeOf(id)) : undefined;
    if (known !== undefined) return { type: "settled", charged: -known, writeOff: charge + known };
    const user = users.get(log.userId);
    if (user === undefined) throw new Error(`user ${log.userId} has no balance`);
    const free = freeOf(log.userId, log.tokenId);
    const limit = tokenLimited ? Math.min(free.user, free.token) : free.user;
    const charged = Math.min(operation.charged ?? charge, charge, Math.max(0, limit));
    append({ cause: causeOf(id), userId: log.userId, tokenId: log.tokenId, amount: 0 - charged });
    user.balance -= charged;
    user.used += charged;
    const token = tokens.get(log.tokenId);
    if (token !== undefined) {
      token.used += charged;
      if (tokenLimited) token.remain -= charged;
      else token.granted += charged;
    }
    return { type: "settled", charged, writeOff: charge - charged };
  }

  function fail(batch: Batch, id: string): OperationResult {
    if (batch.again && failures.has(id)) return done;
    failures.set(id, (failures.get(id) ?? 0) + 1);
    return done;
  }

  function decide(batch: Batch, operation: Operation): OperationResult {
    switch (operation.type) {
      case "open":
        // Of a batch that was committed before, and ended the call as well.
        if (batch.again && amounts.has(causeOf(operation.facts.id))) return done;
        open(batch.nodeId, operation.facts, operation.amount);
        return done;
      case "take":
        return take(batch, operation);
      case "more":
        return more(operation);
      case "settle":
        return settle(batch, operation);
      case "release":
        giveBack(operation.id);
        return done;
      case "fail":
        return fail(batch, operation.log.requestId);
    }
  }

  /** What makes a transaction fail, before it changed anything. */
  function refuseBatch(batch: Batch): void {
    const settled = new Set<string>();
    for (const operation of batch.operations) {
      if (operation.type !== "settle") continue;
      const isKnown = amounts.has(causeOf(operation.id));
      if (batch.again && isKnown) continue;
      if (isKnown || settled.has(operation.id)) throw new Error(`${operation.id} twice`);
      settled.add(operation.id);
      if (!users.has(operation.log.userId)) throw new Error("there is no such user");
      if (operation.log.content === refusedContent) throw new Error("refused for good");
    }
  }

  return {
    users,
    tokens,
    reservations,
    entries,
    failures,
    openUser: (userId) => void users.set(userId, { balance: 0, held: 0, used: 0 }),
    openToken: (tokenId, granted) =>
      void tokens.set(tokenId, { granted, remain: granted, used: 0, held: 0 }),

    post({ cause, userId, amount }) {
      const user = users.get(userId);
      if (user === undefined) throw new Error(`user ${userId} has no balance`);
      if (user.balance + amount < user.held) throw new Refusal("quota-too-low", "held");
      append({ cause, userId, tokenId: 0, amount });
      user.balance += amount;
    },

    adjustToken(tokenId, delta) {
      const token = tokens.get(tokenId);
      if (token === undefined) throw new Error(`token ${tokenId} has no balance`);
      if (token.remain + delta < token.held) throw new Refusal("quota-too-low", "held");
      token.remain += delta;
      token.granted += delta;
    },

    applyBatch(batch) {
      refuseBatch(batch);
      return batch.operations.map((operation) => decide(batch, operation));
    },

    releaseInterrupted(nodeIds) {
      const ids = [...reservations].flatMap(([id, row]) => (nodeIds.has(row.nodeId) ? [id] : []));
      for (const id of ids) {
        giveBack(id);
        failures.set(id, (failures.get(id) ?? 0) + 1);
      }
      return ids.length;
    },
  };
}

/** As in the real one. */
export function causeOf(requestId: string): string {
  return `settle:${requestId}`;
}
