import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import * as contract from "@tollgate/contract/endpoints/price-versions.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { pricingStore } from "./pricing.store.ts";

type VersionDeps = {
  readonly store: Pick<
    RemoteStore<typeof pricingStore>,
    "diffVersions" | "pageVersions" | "rollBackPrices" | "savePriceChanges"
  >;
  /** The price version in force. */
  readonly prices: () => { readonly id: number; readonly list: PriceList };
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for the versions of the price list. */
export function priceVersionHandlers(deps: VersionDeps): Handler[] {
  const { store, prices, applyChanges, now } = deps;
  return [
    handle(contract.listPriceVersions, async (input) => {
      return await store.pageVersions(readPageWindow(input));
    }),

    handle(contract.diffPriceVersions, async ({ from, to }) => {
      return await store.diffVersions({ from, to });
    }),

    handle(contract.rollBackPrices, async ({ id, reason }, caller) => {
      await store.rollBackPrices({ id, reason, actor: actorOf(caller), nowMs: now() });
      await applyChanges();
    }),

    handle(contract.readPrices, async () => {
      const { id, list } = prices();
      return { version: id, list };
    }),

    handle(contract.savePriceChanges, async (input, caller) => {
      await store.savePriceChanges({ ...input, actor: actorOf(caller), nowMs: now() });
      await applyChanges();
    }),
  ];
}
