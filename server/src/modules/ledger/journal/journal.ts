/** Sends batches of decided operations as records of the journal. */

import { StoreUnavailable } from "#db/store-unavailable.ts";
import { encodeOperations } from "#modules/ledger/batch-text.ts";
import type { LedgerStore } from "#modules/ledger/ledger.store.ts";
import type { Batch, Operation, OperationResult } from "#modules/ledger/operations.ts";
import type { SendAnswer } from "#modules/ledger/queue.ts";
import type { Books } from "./books.ts";
import { type JournalEnd, type NewRecord, rowOf } from "./records.ts";

type JournalDeps = {
  readonly store: Pick<LedgerStore, "appendRecord" | "readJournalEnd">;
  readonly books: Pick<Books, "note" | "room">;
};

/** The end of the node's records, in the epoch in which it was read. */
type End = JournalEnd & { readonly epoch: number };

const done: OperationResult = { type: "done" };

export type Journal = {
  /**
   * Writes a batch as one record. It must be sent again, as it is, until it is known whether it was
   * committed.
   */
  readonly send: (batch: Batch) => Promise<SendAnswer>;
  /**
   * Finds out whether the batch was committed as a record when it was sent before, under an epoch
   * that has ended. Undefined: it was not, and it must be sent another way.
   */
  readonly findSent: (batch: Batch) => Promise<SendAnswer | undefined>;
};

export function openJournal({ store, books }: JournalDeps): Journal {
  /** Undefined: it is not known, because an answer did not come. */
  let end: End | undefined;
  /** The record of which it is not known whether it was committed. */
  let tried: NewRecord | undefined;

  async function append({ nodeId, epoch, operations }: Batch): Promise<SendAnswer> {
    await books.room();
    const body = encodeOperations(operations);
    const from = end?.epoch === epoch ? end : await readEnd(nodeId, epoch);
    if (isThere(from, body)) return noted(from, operations);
    const calls = operations.length;
    const record = { nodeId, epoch, seq: from.seq + 1, calls, body, before: from.sum };
    tried = record;
    end = undefined;
    const answer = await store.appendRecord(record);
    if (answer === "fenced") return { kind: "fenced" };
    if (answer === "behind") return { kind: "store-failed", reason: "the database has gone back" };
    return noted({ epoch, seq: record.seq, sum: answer.sum }, operations);
  }

  async function readEnd(nodeId: string, epoch: number): Promise<End> {
    const { seq, sum } = await store.readJournalEnd(nodeId);
    return { seq, sum, epoch };
  }

  /** Whether the record that was tried is the last one of the node. */
  function isThere({ seq, sum }: End, body: string): boolean {
    return tried?.seq === seq && tried.body === body && rowOf(tried).sum === sum;
  }

  function noted(to: End, operations: readonly Operation[]): SendAnswer {
    tried = undefined;
    end = to;
    books.note(to.seq, operations.length);
    return { kind: "committed", results: operations.map(resultOf) };
  }

  return {
    send: async (batch) => await whileUp(async () => await append(batch)),
    async findSent({ nodeId, epoch, operations }) {
      if (tried === undefined) return undefined;
      return await whileUp(async () => {
        const from = await readEnd(nodeId, epoch);
        if (isThere(from, encodeOperations(operations))) return noted(from, operations);
        tried = undefined;
        end = undefined;
        return undefined;
      });
    },
  };
}

async function whileUp<Answer>(run: () => Promise<Answer>): Promise<Answer | SendAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "store-failed", reason: error.reason };
    throw error;
  }
}

/** Returns what the books will say: nothing can refuse the operation any more. */
function resultOf(operation: Operation): OperationResult {
  if (operation.type !== "settle") return done;
  const { charge } = operation;
  const charged = operation.charged ?? charge;
  return { type: "settled", charged, writeOff: charge - charged };
}
