/**
 * Finds what has been done already: by this batch when it was sent before, or by nodes that took
 * this one for dead.
 */

import type { CallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import type { ReservationTable } from "#db/tables/ledger.ts";
import type { Operation } from "./operations.ts";

/** The cause of a call's one settlement. */
export function causeOf(requestId: string): string {
  return `settle:${requestId}`;
}

/** The cause of the one entry that reverses a settlement. */
export function reversalCauseOf(requestId: string): string {
  return `reversal:${requestId}`;
}

/** The parts of a batch that a first sending had committed. */
export type Applied = {
  /** Amounts by cause. */
  readonly charged: ReadonlyMap<string, number>;
  /** Amounts by request id. */
  readonly taken: ReadonlyMap<string, number>;
  /** Request ids. */
  readonly failed: ReadonlySet<string>;
};

export const nothingApplied: Applied = { charged: new Map(), taken: new Map(), failed: new Set() };

export async function findApplied(
  tx: Db,
  operations: readonly Operation[],
  reservations: readonly ReservationTable[],
): Promise<Applied> {
  const causes = operations.flatMap((one) => (one.type === "settle" ? [causeOf(one.id)] : []));
  const failed = operations.flatMap((one) => (one.type === "fail" ? [one.log] : []));
  const entries =
    causes.length === 0
      ? []
      : await tx
          .selectFrom("entries")
          .select(["cause", "amount"])
          .where("cause", "in", causes)
          .execute();
  return {
    charged: new Map(entries.map(({ cause, amount }) => [cause, 0 - amount])),
    taken: new Map(reservations.map(({ id, amount }) => [id, amount])),
    failed: failed.length === 0 ? new Set() : await findFailed(tx, failed),
  };
}

async function findFailed(tx: Db, logs: readonly CallLog[]): Promise<Set<string>> {
  const times = logs.map((log) => log.createdAt);
  const ids = logs.map((log) => log.requestId);
  const rows = await tx
    .selectFrom("logs")
    .select("request_id")
    // Both conditions are written, because the partial index on rows that are not charged has the
    // first one.
    .where("type", "<>", 2)
    .where("type", "=", 5)
    .where("created_at", ">=", Math.min(...times))
    .where("created_at", "<=", Math.max(...times))
    .where("request_id", "in", ids)
    .execute();
  return new Set(rows.map((row) => row.request_id));
}
