/**
 * The charges that the database has acknowledged last. They are kept in memory, as they were sent,
 * so that they can be compared with a database that went back. Nothing is made for a call: the ring
 * keeps the operations that settled it.
 */

import type { CallLog } from "#canonical/call-log.ts";
import type { Operation } from "#modules/ledger/operations.ts";

/** An operation that charges a call or gives a charge back. */
type Charge = Operation & { readonly type: "reverse" | "settle" };

/** `amount`: what was charged or given back. */
export type AcknowledgedCharge = { readonly operation: Charge; readonly amount: number };

export type ChargeRing = {
  note(operation: Charge, amount: number): void;
  /** Returns what is kept, oldest first. */
  list(): readonly AcknowledgedCharge[];
};

/** The most charges that are kept, and about how many bytes they may take. */
const ringMax = 8_192;
const ringBytesMax = 16 * 1024 * 1024;

/** About how many bytes an operation takes besides its texts. */
const plainBytes = 1_500;

export function openChargeRing(countMax = ringMax, bytesMax = ringBytesMax): ChargeRing {
  const operations = Array.from({ length: countMax }, (): Charge | undefined => undefined);
  const amounts = new Float64Array(countMax);
  const sizes = new Float64Array(countMax);
  let first = 0;
  let count = 0;
  let bytes = 0;

  function drop(): void {
    operations[first] = undefined;
    bytes -= sizes[first] ?? 0;
    first = (first + 1) % countMax;
    count -= 1;
  }

  return {
    note(operation, amount) {
      const size = sizeOf(operation.log);
      while (count > 0 && (count === countMax || bytes + size > bytesMax)) drop();
      const at = (first + count) % countMax;
      operations[at] = operation;
      amounts[at] = amount;
      sizes[at] = size;
      count += 1;
      bytes += size;
    },
    list() {
      const kept: AcknowledgedCharge[] = [];
      for (let index = 0; index < count; index += 1) {
        const at = (first + index) % countMax;
        const operation = operations[at];
        if (operation !== undefined) kept.push({ operation, amount: amounts[at] ?? 0 });
      }
      return kept;
    },
  };
}

/** Estimates the bytes of a call's record from its texts. */
function sizeOf({ username, tokenName, modelName, clientIp, losses }: CallLog): number {
  let length = username.length + tokenName.length + modelName.length + clientIp.length;
  for (const loss of losses) length += loss.length;
  return plainBytes + 2 * length;
}
