/**
 * What the search runs over: the simulated store, or PostgreSQL with the product's own statements, in
 * a transaction that is rolled back where a branch of the search ends.
 */

import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { applyBatch } from "#modules/ledger/batch.ts";
import { decodeBatch, decodeOperations, encodeBatch } from "#modules/ledger/batch-text.ts";
import { type Applied, applyEnded, applyRecords } from "#modules/ledger/journal/apply-records.ts";
import {
  appendRecord,
  type JournalEnd,
  type NewRecord,
  readJournalEnd,
} from "#modules/ledger/journal/records.ts";
import { postEntry } from "#modules/ledger/ledger.ts";
import { endEpochs, joinNodes, type NodeEpoch } from "#modules/ledger/nodes.ts";
import type { Batch, BatchAnswer, Operation } from "#modules/ledger/operations.ts";
import { releaseInterrupted } from "#modules/ledger/recovery.ts";
import { openModelStore } from "#test/simulation/model-store.ts";

/** The user that makes all calls. */
export const userId = 1;

export type Later<Result> = Promise<Result> | Result;

export type SearchStore = {
  applyBatch(batch: Batch): Later<BatchAnswer>;
  appendRecord(record: NewRecord): Later<Awaited<ReturnType<typeof appendRecord>>>;
  readJournalEnd(nodeId: string): Later<JournalEnd>;
  applyRecords(nodeId: string, upTo: number, apart: boolean): Later<Applied>;
  applyEnded(nodeId: string, apart: boolean): Later<boolean>;
  releaseInterrupted(nodeId: string): Later<number>;
  endEpoch(nodeId: string): Later<void>;
  joinNodes(node: NodeEpoch): Later<number>;
  read(): Later<Tables>;
};

/** What the tables say at one moment. */
export type Tables = {
  readonly account: { readonly balance: number; readonly held: number; readonly used: number };
  readonly entries: readonly { readonly cause: string; readonly amount: number }[];
  readonly reservations: readonly {
    readonly id: string;
    readonly nodeId: string;
    readonly epoch: number;
    readonly amount: number;
  }[];
  readonly records: readonly TableRecord[];
  readonly heads: readonly (readonly [nodeId: string, applied: number])[];
  readonly interrupted: readonly string[];
  readonly epochs: ReadonlyMap<string, number>;
  /** How much the books could not take as its record says. */
  readonly refused: number;
};

type TableRecord = {
  readonly nodeId: string;
  readonly epoch: number;
  readonly seq: number;
  readonly sum: string;
  /** What its calls were told to cost. */
  readonly told: readonly Told[];
};

type Told = { readonly id: string; readonly amount: number };

/** Runs something over a store in which the user has so much and nothing has happened. */
export type OpenStore = <Result>(
  wealth: number,
  run: (store: SearchStore) => Promise<Result>,
) => Promise<Result>;

/** Opens the simulated store. */
export const inModel: OpenStore = async (wealth, run) => {
  const store = openModelStore("exact", () => 0);
  store.openUser(userId);
  store.post({ cause: "gift", userId, amount: wealth });
  return await run({
    applyBatch: (batch) => store.applyBatch(batch),
    appendRecord: (record) => store.appendRecord(record),
    readJournalEnd: (nodeId) => store.readJournalEnd(nodeId),
    applyRecords: (nodeId, upTo, apart) => store.applyRecords(nodeId, upTo, apart),
    applyEnded: (nodeId, apart) => store.applyEnded(nodeId, apart),
    releaseInterrupted: (nodeId) => store.releaseInterrupted(nodeId).length,
    endEpoch: (nodeId) => store.endEpoch(nodeId),
    joinNodes: (node) => store.joinNodes(node),
    read: () => ({
      account: store.users.get(userId) ?? { balance: 0, held: 0, used: 0 },
      entries: store.entries,
      reservations: [...store.reservations].map(([id, row]) => ({ ...row, id })),
      records: store.records().map((record) => ({ ...record, told: toldIn(record.operations) })),
      heads: [...store.heads].map(([nodeId, { applied }]) => [nodeId, applied]),
      interrupted: [...store.interrupted],
      epochs: new Map([...store.nodes].map(([id, { epoch }]) => [id, epoch])),
      refused: store.refused.length,
    }),
  });
};

/** Opens a PostgreSQL database that has one user, who has nothing. */
export function inPostgres(db: Db): OpenStore {
  return async (wealth, run) => {
    const tx = await db.startTransaction().execute();
    try {
      // A slow machine may keep the search waiting between two steps.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      const gift = { cause: "gift", kind: "admin_adjust", detail: "", nowMs: 0 } as const;
      await postEntry(tx, { ...gift, userId, amount: wealth });
      return await run(openSql(tx));
    } finally {
      await tx.rollback().execute();
    }
  };
}

function openSql(tx: Db): SearchStore {
  /** Does what is a transaction of its own in the product. */
  async function step<Result>(run: () => Promise<Result>): Promise<Result> {
    await sql`savepoint step`.execute(tx);
    try {
      const result = await run();
      await sql`release savepoint step`.execute(tx);
      return result;
    } catch (error) {
      await sql`rollback to savepoint step`.execute(tx);
      throw error;
    }
  }
  return {
    // As it crosses to the writer.
    applyBatch: async (batch) =>
      await step(async () => await applyBatch(tx, decodeBatch(encodeBatch(batch)))),
    appendRecord: async (record) => await step(async () => await appendRecord(tx, record)),
    readJournalEnd: async (nodeId) => await readJournalEnd(tx, nodeId),
    applyRecords: async (nodeId, upTo, apart) =>
      await step(async () => await applyRecords(tx, nodeId, upTo, apart)),
    applyEnded: async (nodeId, apart) =>
      await step(async () => await applyEnded(tx, nodeId, apart)),
    releaseInterrupted: async (nodeId) =>
      await step(async () => await releaseInterrupted(tx, nodeId)),
    async endEpoch(nodeId) {
      await step(async () => await endEpochs(tx, [nodeId], null));
    },
    joinNodes: async (node) => await step(async () => await joinNodes(tx, node)),
    read: async () => await readSql(tx),
  };
}

async function readSql(tx: Db): Promise<Tables> {
  const account = await tx
    .selectFrom("balances")
    .select(["balance", "held", "used"])
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  const entries = await tx.selectFrom("entries").select(["cause", "amount"]).execute();
  const reservations = await tx
    .selectFrom("reservations")
    .select(["id", "node_id as nodeId", "epoch", "amount"])
    .orderBy("id")
    .execute();
  const records = await tx
    .selectFrom("journal")
    .select(["node_id as nodeId", "epoch", "seq", "sum", "body"])
    .orderBy("node_id")
    .orderBy("seq")
    .execute();
  const heads = await tx.selectFrom("journal_heads").select(["node_id", "applied"]).execute();
  const interrupted = await tx.selectFrom("interrupted_calls").select("request_id").execute();
  const nodes = await tx.selectFrom("nodes").select(["id", "epoch"]).orderBy("id").execute();
  const refused = await tx.selectFrom("journal_refused").select("id").execute();
  return {
    account,
    entries,
    reservations,
    records: records.map((row) => ({ ...row, told: toldIn(decodeOperations(row.body)) })),
    heads: heads.map(({ node_id, applied }) => [node_id, applied]),
    interrupted: interrupted.map(({ request_id }) => request_id),
    epochs: new Map(nodes.map(({ id, epoch }) => [id, epoch])),
    refused: refused.length,
  };
}

function toldIn(operations: readonly Operation[]): Told[] {
  return operations.flatMap((operation) => {
    if (operation.type !== "settle") return [];
    return [{ id: operation.id, amount: operation.charged ?? operation.charge }];
  });
}
