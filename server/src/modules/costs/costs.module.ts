import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { costHandlers } from "./costs.handlers.ts";
import type { costStore } from "./costs.store.ts";

export const costsModule = defineModule({
  needs: [],
  open: ({ store, snapshot, applyChanges, clock }: Given<RemoteStore<typeof costStore>>) => ({
    handlers: costHandlers({
      store,
      prices: () => snapshot.prices.list,
      applyChanges,
      now: clock.now,
    }),
  }),
});
