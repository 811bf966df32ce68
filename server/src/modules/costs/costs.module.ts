import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { costHandlers } from "./costs.handlers.ts";
import type { costStore } from "./costs.store.ts";
import type { ReadCatalogue } from "./listed-costs.ts";
import { marginHandlers } from "./margins.handlers.ts";
import { refreshJob } from "./refresh-job.ts";

type Needs = { readonly pricing: { readonly catalogue: ReadCatalogue } };

export const costsModule = defineModule({
  needs: ["pricing"],
  open(given: Given<RemoteStore<typeof costStore>, Needs>) {
    const { store, snapshot, options, applyChanges, clock } = given;
    const { catalogue } = given.needs.pricing;
    const prices = () => snapshot.prices.list;
    const deps = { store, catalogue, prices, applyChanges, now: clock.now };
    const zone = () => options.read("TimeZone");
    return {
      handlers: [...costHandlers(deps), ...marginHandlers({ store, zone, now: clock.now })],
      jobs: [refreshJob(deps)],
    };
  },
});
