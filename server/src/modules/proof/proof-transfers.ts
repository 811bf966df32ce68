/** T18: a transfer between two balances is an entry in each, of the same amount. */

import type { EntryTable } from "#db/tables/ledger.ts";
import { transferOf } from "#modules/ledger/postings/transfers.ts";
import type { Flaw } from "./flaw.ts";

type Half = Pick<EntryTable, "amount" | "cause" | "kind" | "seq" | "user_id">;

/** Gathers the halves of transfers while all entries are read. */
export function openTransfers() {
  /** Halves whose other one was not met yet, by transfer. */
  const open = new Map<string, Half>();
  let flaw: Flaw | null = null;

  function fault({ user_id, seq }: Half, reason: string): Flaw {
    return { check: "T18", table: "entries", row: `user_id=${user_id} seq=${seq}`, reason };
  }

  return {
    note(entry: Half): void {
      if (entry.kind !== "transfer_in" && entry.kind !== "transfer_out") return;
      const transfer = transferOf(entry.kind, entry.cause);
      if (transfer === undefined || entry.amount > 0 !== (entry.kind === "transfer_in")) {
        flaw ??= fault(entry, "is no half of a transfer");
        return;
      }
      const other = open.get(transfer);
      if (other === undefined) {
        open.set(transfer, entry);
        return;
      }
      open.delete(transfer);
      const isPair = other.kind !== entry.kind && other.amount === 0 - entry.amount;
      if (!isPair || other.user_id === entry.user_id) {
        flaw ??= fault(entry, "differs from the other half of its transfer");
      }
    },
    findFlaw(): Flaw | null {
      const [first] = open.values();
      return flaw ?? (first === undefined ? null : fault(first, "its other half is missing"));
    },
  };
}
