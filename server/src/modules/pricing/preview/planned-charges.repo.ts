/** What a re-rate is to change: the next calls of its plan, and what they are charged by its prices. */

import type { Db } from "#db/database.ts";
import { rechargeOf, type ReratedCharge } from "#modules/ledger/ledger.ts";
import { type CallPlace, chargeNext, type PreviewPlan } from "./preview.repo.ts";

/** The next calls of a re-rate. */
type PlannedCharges = {
  /** Those whose charge is to change. */
  readonly charges: readonly ReratedCharge[];
  /** How many calls there are among them and those that keep their charge. */
  readonly calls: number;
  /** Those whose charge was given back since, and by how much it would have changed. */
  readonly goneCalls: number;
  readonly gone: number;
  /** Null: there are no more. */
  readonly next: CallPlace | null;
};

/** Plans the next charges; nothing is written. */
export async function planCharges(
  db: Db,
  asked: {
    readonly plan: PreviewPlan;
    readonly after: CallPlace | null;
    readonly limit: number;
  },
): Promise<PlannedCharges> {
  const { calls, next } = await chargeNext(db, asked);
  const charges: ReratedCharge[] = [];
  const gone = { calls: 0, amount: 0 };
  for (const { row, before, again, isGone } of calls) {
    const after = again.charged;
    if (isGone) {
      gone.calls += 1;
      gone.amount += after - before;
    } else if (after !== before) {
      charges.push(rechargeOf(row, before, after));
    }
  }
  return { charges, calls: calls.length, goneCalls: gone.calls, gone: gone.amount, next };
}
