import type { Store } from "#db/store.ts";
import { ledgerStore } from "#modules/ledger/ledger.store.ts";

/** Every store, one line each, sorted: what callers on other threads can ask for. */
export const stores = {
  ledger: ledgerStore,
} as const satisfies Record<string, Store>;

export type Stores = typeof stores;
