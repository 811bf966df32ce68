import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { costHandlers } from "./costs.handlers.ts";
import { marginHandlers } from "./margins.handlers.ts";
import type { costStore } from "./costs.store.ts";

export const costsModule = defineModule({
  needs: [],
  open({ store, snapshot, options, applyChanges, clock }: Given<RemoteStore<typeof costStore>>) {
    const prices = () => snapshot.prices.list;
    const zone = () => options.read("TimeZone");
    return {
      handlers: [
        ...costHandlers({ store, prices, applyChanges, now: clock.now }),
        ...marginHandlers({ store, zone, now: clock.now }),
      ],
    };
  },
});
