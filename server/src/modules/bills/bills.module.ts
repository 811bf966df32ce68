/** Bills of upstreams, laid beside the ledger; nothing is changed by them. */

import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import { billHandlers } from "./bills.handlers.ts";
import type { billStore } from "./bills.store.ts";

export const billsModule = defineModule({
  needs: [],
  open: ({ store, clock }: Given<RemoteStore<typeof billStore>>) => ({
    handlers: billHandlers({ store, now: clock.now }),
  }),
});
