import * as contract from "@tollgate/contract/endpoints/price-sources.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { pricingStore } from "./pricing.store.ts";
import { noSource } from "./sources/sources.repo.ts";
import { syncByHand, type SyncDeps } from "./sources/sync-source.ts";

type SourceDeps = SyncDeps & {
  readonly store: RemoteStore<typeof pricingStore>;
};

/** Handles root's requests for lists of prices that others publish, and for drafts. */
export function priceSourceHandlers(deps: SourceDeps): Handler[] {
  const { store, applyChanges, now } = deps;
  return [
    handle(contract.listPriceSources, async () => await store.listSources()),

    handle(contract.createPriceSource, async (settings, caller) => {
      const id = await store.createSource(settings, { actor: actorOf(caller), nowMs: now() });
      return { id };
    }),

    handle(contract.updatePriceSource, async (source, caller) => {
      await store.updateSource(source, { actor: actorOf(caller), nowMs: now() });
    }),

    handle(contract.removePriceSource, async ({ id }, caller) => {
      await store.removeSource(id, { actor: actorOf(caller), nowMs: now() });
    }),

    handle(contract.syncPriceSource, async ({ id, text }, caller) => {
      const source = await store.findSource(id);
      if (source === undefined) throw noSource();
      return await syncByHand(deps, source, { text, actor: actorOf(caller) });
    }),

    handle(contract.listPriceDrafts, async (input) => {
      const window = readPageWindow(input);
      return { ...(await store.pageDrafts(window)), ...window };
    }),

    handle(contract.readPriceDraft, async ({ id }) => await store.readDraft(id)),

    handle(contract.readDraftPrices, async (asked) => await store.priceLines(asked)),

    handle(contract.decidePriceDraft, async (decision, caller) => {
      const decided = await store.decideDraft({
        ...decision,
        actor: actorOf(caller),
        nowMs: now(),
      });
      await applyChanges();
      return decided;
    }),
  ];
}
