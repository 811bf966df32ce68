/** Price versions, the dated catalogue of prices, and prices for the relay. */

import type { RemoteStore } from "#db/store.ts";
import { offerSources } from "#modules/groups/groups.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { catalogueReader } from "./catalogue/open-catalogue.ts";
import { catalogueHandlers } from "./catalogue.handlers.ts";
import { openConfiguredPrices } from "./configured-prices.ts";
import { modelFactHandlers } from "./model-facts.handlers.ts";
import { previewHandlers } from "./price-previews.handlers.ts";
import { openPreviews } from "./preview/previews.ts";
import { openPriceLookup } from "./price-lookup.ts";
import { priceVersionHandlers } from "./price-versions.handlers.ts";
import { pricingHandlers } from "./pricing.handlers.ts";
import type { pricingStore } from "./pricing.store.ts";
import { parsePrices } from "./pricing.ts";

export const pricingModule = defineModule({
  needs: [],
  open: ({
    store,
    options,
    snapshot,
    program,
    log,
    clock,
    random,
    applyChanges,
  }: Given<RemoteStore<typeof pricingStore>>) => {
    const catalogue = catalogueReader(program.priceCatalogueFile, log);
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
        ...previewHandlers(openPreviews({ store, random, now: clock.now, log })),
        ...priceVersionHandlers({
          store,
          prices: () => snapshot.prices,
          applyChanges,
          now: clock.now,
        }),
      ],
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
      },
    };
  },
});
