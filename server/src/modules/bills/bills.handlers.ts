import * as contract from "@tollgate/contract/endpoints/bills.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { billStore } from "./bills.store.ts";

type BillDeps = {
  readonly store: RemoteStore<typeof billStore>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles root's requests that lay the bill of an upstream beside the ledger. */
export function billHandlers({ store, now }: BillDeps): Handler[] {
  return [
    handle(contract.beginBill, async (_, { userId }) => ({
      id: await store.beginBill({ userId, nowMs: now() }),
    })),

    handle(contract.addBillPart, async (part, { userId }) => {
      await store.addBillPart({ ...part, userId });
    }),

    handle(contract.compareBill, async (question, { userId }) => {
      return await store.compareBill({ ...question, userId });
    }),
  ];
}
