/**
 * Finds which operations of a batch have taken effect already, because the batch was committed when
 * it was sent before.
 */

import type { CallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import type { Operation } from "./operations.ts";

/**
 * Returns the `cause` of the ledger entry that settles a call. It is unique, so a call is settled
 * once.
 */
export function causeOf(requestId: string): string {
  return `settle:${requestId}`;
}

/**
 * Returns the `cause` of the ledger entry that settles a call again, because a database that went
 * back had lost its settlement. A call has one of the two.
 */
export function againCauseOf(requestId: string): string {
  return `again:${requestId}`;
}

/** Returns the causes of which the entry that settles a call has one. */
export function settlingCausesOf(requestId: string): readonly [string, string] {
  return [causeOf(requestId), againCauseOf(requestId)];
}

/**
 * Returns the `cause` of the ledger entry that reverses a call's settlement. It is unique, so a
 * settlement is reversed once.
 */
export function reversalCauseOf(requestId: string): string {
  return `reversal:${requestId}`;
}

/**
 * Returns the `cause` of the ledger entry that refunds a call's charge. It is unique, so a charge
 * is refunded once.
 */
export function refundCauseOf(requestId: string): string {
  return `refund:${requestId}`;
}

/**
 * Returns the `cause` of the ledger entry that gives back what a call was charged wrongly. A charge
 * has one refund of either cause at most.
 */
export function mendCauseOf(requestId: string): string {
  return `mend:${requestId}`;
}

/** The digits of a re-rate's id in causes, so that the request id begins at one place. */
const rerateDigits = 8;

/**
 * Returns the `cause` of the ledger entry by which a re-rate charges a call again. It is unique, so a
 * re-rate changes a charge once.
 */
export function rerateCauseOf(rerateId: number, requestId: string): string {
  return `rerate:${String(rerateId).padStart(rerateDigits, "0")}:${requestId}`;
}

/** What the batch had already committed when it was sent before. */
export type Applied = {
  /** Charged quota of the calls that were settled, by request id. */
  readonly charged: ReadonlyMap<string, number>;
  /** Quota that the reservations hold, by request id. */
  readonly taken: ReadonlyMap<string, number>;
  /** Request ids of failed calls whose log rows were inserted. */
  readonly failed: ReadonlySet<string>;
};

export const nothingApplied: Applied = { charged: new Map(), taken: new Map(), failed: new Set() };

export async function findApplied(
  tx: Db,
  operations: readonly Operation[],
  reservations: readonly ReservationTable[],
): Promise<Applied> {
  const settled = operations.flatMap((one) => (one.type === "settle" ? [one.id] : []));
  const failed = operations.flatMap((one) => (one.type === "fail" ? [one.log] : []));
  return {
    charged: await findCharged(tx, settled),
    taken: new Map(reservations.map(({ id, amount }) => [id, amount])),
    failed: failed.length === 0 ? new Set() : await findFailed(tx, failed),
  };
}

/** Finds which of these calls were settled, and what each was charged. */
export async function findCharged(
  db: Db,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (requestIds.length === 0) return new Map();
  const idOf = new Map(requestIds.flatMap((id) => settlingCausesOf(id).map((one) => [one, id])));
  const entries = await db
    .selectFrom("entries")
    .select(["cause", "amount"])
    .where("cause", "in", [...idOf.keys()])
    .execute();
  return new Map(entries.map(({ cause, amount }) => [idOf.get(cause) ?? "", 0 - amount]));
}

async function findFailed(tx: Db, logs: readonly CallLog[]): Promise<Set<string>> {
  const times = logs.map((log) => log.createdAt);
  const ids = logs.map((log) => log.requestId);
  const rows = await tx
    .selectFrom("logs")
    .select("request_id")
    // `type <> 2` follows from `type = 5`, but the partial index on uncharged rows is only used for
    // statements that repeat its condition.
    .where("type", "<>", 2)
    .where("type", "=", 5)
    .where("created_at", ">=", Math.min(...times))
    .where("created_at", "<=", Math.max(...times))
    .where("request_id", "in", ids)
    .execute();
  return new Set(rows.map((row) => row.request_id));
}
