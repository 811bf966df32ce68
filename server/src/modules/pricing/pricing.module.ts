/** Price versions, the dated catalogue of prices, and prices for the relay. */

import type { RemoteStore } from "#db/store.ts";
import { offerSources } from "#modules/groups/groups.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { PriceNotices } from "#modules/notifications/notifications.ts";
import { catalogueReader } from "./catalogue/open-catalogue.ts";
import { catalogueHandlers } from "./catalogue.handlers.ts";
import { openConfiguredPrices } from "./configured-prices.ts";
import { modelFactHandlers } from "./model-facts.handlers.ts";
import { previewHandlers } from "./price-previews.handlers.ts";
import { openPreviews } from "./preview/previews.ts";
import { openPriceLookup } from "./price-lookup.ts";
import { priceSourceHandlers } from "./price-sources.handlers.ts";
import { priceVersionHandlers } from "./price-versions.handlers.ts";
import { pricingHandlers } from "./pricing.handlers.ts";
import type { pricingStore } from "./pricing.store.ts";
import { parsePrices } from "./pricing.ts";
import { scheduledSyncs } from "./sources/sync-source.ts";

export const pricingModule = defineModule({
  needs: ["notifications"],
  open: ({
    store,
    options,
    snapshot,
    program,
    log,
    clock,
    random,
    network,
    applyChanges,
    needs,
  }: Given<RemoteStore<typeof pricingStore>, { readonly notifications: PriceNotices }>) => {
    const catalogue = catalogueReader(program.priceCatalogueFile, log);
    const syncs = {
      store,
      transport: network.transport,
      catalogueFile: program.priceCatalogueFile,
      applyChanges,
      now: clock.now,
    };
    return {
      handlers: [
        ...pricingHandlers(offerSources({ options, snapshot })),
        ...catalogueHandlers({
          catalogue,
          store,
          prices: () => snapshot.prices,
          applyChanges,
          now: clock.now,
        }),
        ...modelFactHandlers({
          ...offerSources({ options, snapshot }),
          catalogue,
          store,
          now: clock.now,
        }),
        ...priceSourceHandlers(syncs),
        ...previewHandlers(openPreviews({ store, random, ...clock, log })),
        ...priceVersionHandlers({
          store,
          prices: () => snapshot.prices,
          applyChanges,
          now: clock.now,
        }),
      ],
      jobs: [scheduledSyncs({ ...syncs, notices: needs.notifications, log })],
      snapshot: {
        async loadPrices() {
          const prices = parsePrices(await store.loadPrices());
          if (prices === undefined) throw new Error("the price version in force cannot be read");
          return prices;
        },
      },
      face: {
        priceOf: openPriceLookup(snapshot),
        catalogue,
        configured: openConfiguredPrices(store),
        planCharges: store.planCharges,
        readPreview: store.readPreview,
      },
    };
  },
});
